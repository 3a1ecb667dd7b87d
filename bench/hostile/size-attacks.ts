/** Attacks by size: long texts, digits and documents for what is small and innocent in a declaration. */
import type { Attack, Sent } from './attack.ts';
import { END, field, FORM } from './shape-attacks.ts';

const encoded = encodeURIComponent;
const post = (path: string, body: () => unknown): Sent => ({
  method: 'POST',
  path,
  body: () => JSON.stringify(body()),
});

/** The parameters come in a body: no query string is as long. */
const action = (name: string, values: () => object, more: Partial<Attack> = {}): Attack => ({
  name: `sql-${name}`,
  kind: 'sql',
  send: post(`/data/rest/note/action/${name.replaceAll('-', '_')}`, values),
  statuses: [200, 422, 500],
  ...more,
});

const MEGA = 1_000_000;

const sql: readonly Attack[] = [
  action('cast', () => ({ text: `${'1'.repeat(MEGA)}x` })),
  action('span', () => ({ text: '1 day '.repeat(MEGA) })),
  action('reversed', () => ({ text: 'ab'.repeat(250_000) })),
  action('concatenated', () => ({ text: 'a'.repeat(7 * MEGA) })),
  action('parted', () => ({ text: 'a,'.repeat(3 * MEGA) })),
  action('ordered', () => ({ text: `${'a'.repeat(900_000)}f` })),
  action('told-apart', () => ({ text: `${'a'.repeat(900_000)}f` })),
  action('gathered', () => ({ text: `${'a'.repeat(900_000)}f` })),
  action('written', () => ({ text: `${'a'.repeat(900_000)}f`, _method: 'POST' })),
  action('digits', () => ({ d: `1.${'7'.repeat(490)}` })),
  action('paired', () => ({ text: 'a'.repeat(50_000) }), { times: 4 }),
];

const asked = (name: string, query: () => string, variables: () => object = () => ({})): Attack => ({
  name: `graphql-${name}`,
  kind: 'graphql',
  send: post('/data/graphql', () => ({ query: query(), variables: variables() })),
  statuses: [200, 400, 422],
});

const graphql: readonly Attack[] = [
  asked('unspread', () => `{ __typename } fragment f on Note { ${'id '.repeat(4900)} }`),
  asked(
    'arguments',
    () =>
      `{ ${'note(first: 1, filter: { name: { eq: "a" }, kind: { eq: "b" }, n: { eq: 1 } }) { total } '.repeat(150)} }`,
  ),
  asked('strangers', () => `{ note { nodes { ${Array.from({ length: 390 }, (_, i) => `nams${i}`).join(' ')} } } }`),
  asked(
    'patterns',
    () =>
      `mutation { ${Array.from({ length: 50 }, (_, i) => `a${i}: create_coded(data: { wide: "${'a'.repeat(500)}" }) { id } `).join('')} }`,
  ),
  asked(
    'long-pattern',
    () => 'mutation ($d: CodedCreate!) { create_coded(data: $d) { id } }',
    () => ({ d: { wide: 'a'.repeat(2 * MEGA) } }),
  ),
];

const zeros = `1${'0'.repeat(990)}1`;

const json: readonly Attack[] = [
  {
    name: 'json-zeros',
    kind: 'json',
    send: {
      method: 'POST',
      path: '/data/rest/note',
      body: () => `{"name":"n","tags":[${Array(8000).fill(zeros).join(',')}]}`,
    },
    statuses: [201, 400, 413, 422],
  },
];

const formed = (name: string, body: () => string, type = FORM): Attack => ({
  name: `multipart-${name}`,
  kind: 'multipart',
  send: { method: 'POST', path: '/data/rest/paper', body, type },
  statuses: [201, 400, 413, 415, 422],
});

const boundary = 'b'.repeat(70);

const multipart: readonly Attack[] = [
  formed('digits', () => `${field('weight', `${'1'.repeat(MEGA)}x`)}${END}`),
  formed('pattern', () => `${field('wide', 'a'.repeat(MEGA))}${END}`),
  formed(
    'long-boundary',
    () => `${`\r\n--${boundary.slice(1)}c`.repeat(100_000)}\r\n--${boundary}--\r\n`,
    `multipart/form-data; boundary=${boundary}`,
  ),
];

const filter: readonly Attack[] = [
  {
    name: 'filter-digits',
    kind: 'filter',
    send: { method: 'GET', path: `/data/rest/note?weight=${'1'.repeat(12_000)}x` },
    times: 16,
    statuses: [200, 400, 414, 422, 431],
  },
  {
    name: 'filter-long-like',
    kind: 'filter',
    send: post('/data/rest/note/search', () => ({ filter: { body: { like: '%a_'.repeat(2 * MEGA) } } })),
    statuses: [200, 422],
  },
  {
    name: 'filter-many-keys',
    kind: 'filter',
    send: post('/data/rest/note/search', () => ({
      filter: Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`k${i}`, i])),
    })),
    statuses: [422],
  },
  {
    name: 'filter-long-in',
    kind: 'filter',
    send: post('/data/rest/note/search', () => ({
      filter: { n: { in: Array.from({ length: 400_000 }, (_, i) => i) } },
    })),
    statuses: [422],
  },
];

const template: readonly Attack[] = [
  {
    name: 'template-many-places',
    kind: 'template',
    send: post('/bff/sent', () => ({ v: 'x'.repeat(7 * MEGA) })),
    statuses: [200, 400, 413, 422, 500, 502],
  },
  {
    name: 'template-path',
    kind: 'template',
    send: post('/bff/twice', () => ({ v: 'x', id: encoded('%'.repeat(MEGA)) })),
    statuses: [200, 400, 413, 422, 500, 502],
  },
  {
    name: 'template-list',
    kind: 'template',
    send: post('/bff/twice', () => ({ v: Array.from({ length: 400_000 }, (_, i) => i), id: 'x' })),
    statuses: [200, 400, 413, 422, 500, 502],
  },
];

export const sizeAttacks: readonly Attack[] = [...sql, ...graphql, ...json, ...multipart, ...filter, ...template];
