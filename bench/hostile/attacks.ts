/** The attacks of the bench `hostile-neighbours`: every one once met a host, or could meet one that forgot a bound. */
import type { Attack, Sent } from './attack.ts';
import { shapeAttacks } from './shape-attacks.ts';
import { sizeAttacks } from './size-attacks.ts';

const encoded = encodeURIComponent;
const json = (value: unknown) => (): string => JSON.stringify(value);
const repeated = (text: string, times: number): string => text.repeat(times);
const texts = (count: number): string[] => Array.from({ length: count }, (_, i) => `tag-${i}`);

const get = (path: string): Sent => ({ method: 'GET', path });
const post = (path: string, body: () => string): Sent => ({ method: 'POST', path, body });
const note = (fields: object): Sent => post('/data/rest/note', json({ name: 'attack', ...fields }));

const expression = (name: string, program: string, more: Partial<Attack> = {}): Attack => ({
  name: `jq-${name}`,
  kind: 'jq',
  send: get(`/data/rest/note?limit=1&expression=${encoded(program)}`),
  statuses: [200, 400, 422, 500, 503],
  ...more,
});

const jq: readonly Attack[] = [
  expression('sh-doubles', 'reduce range(30) as $i ("\'"; @sh) | length', { finding: 'R1' }),
  expression('base64', 'reduce range(62) as $i ("x"; @base64) | length', { finding: 'R1' }),
  expression('csv-doubles', 'reduce range(30) as $i ("\\""; [.] | @csv) | length', { finding: 'R1' }),
  expression('tsv-doubles', 'reduce range(30) as $i ("\\t"; [.] | @tsv) | length'),
  expression('json-doubles', 'reduce range(40) as $i ("\\""; tojson) | length'),
  expression('runaway', 'last(range(1e12))', { times: 8 }),
  expression('product', '[range(3000)] as $a | [$a[] as $x | $a[] as $y | $x * $y] | length'),
  expression('repeat-text', '("x" * 1000000) * 1000 | length'),
  expression('split-join', '[range(100000)] | map(tostring) | join(",") | split("") | length'),
  expression('pattern', '("a" * 100000) | test("(a|aa)+[bc]")'),
  expression('sorted', '[range(200000) | -.] | sort | unique | group_by(. % 7) | length'),
];

const rule = (name: string, more: Pick<Attack, 'send' | 'statuses'> & Partial<Attack>): Attack => ({
  name: `cel-${name}`,
  kind: 'cel',
  ...more,
});

const cel: readonly Attack[] = [
  rule('pairs', {
    finding: 'R2',
    send: post('/data/rest/pair', json({ tags: texts(6000) })),
    statuses: [201, 403],
  }),
  rule('triple', {
    finding: 'R2',
    before: Array.from({ length: 30 }, () => post('/data/rest/triple', json({ l: texts(200) }))),
    send: get('/data/rest/triple'),
    statuses: [200],
  }),
  rule('triple-many', {
    before: Array.from({ length: 30 }, () => post('/data/rest/triple', json({ l: texts(200) }))),
    send: get('/data/rest/triple'),
    times: 16,
    statuses: [200],
  }),
  rule('contains', {
    send: post(
      '/data/rest/search',
      json({ text: repeated('a', 400_000), needle: `${repeated('a', 100_000)}b${repeated('a', 100_000)}` }),
    ),
    statuses: [201, 403],
  }),
  rule('matches', {
    before: [post('/data/rest/search', json({ text: repeated('a', 100_000), needle: 'x' }))],
    send: { method: 'PATCH', path: '/data/rest/search/id/{id}', body: json({ needle: '(a|aa)+[bc]' }) },
    statuses: [200, 403],
  }),
  rule('matches-large', {
    before: [post('/data/rest/search', json({ text: repeated('a', 10_000), needle: 'x' }))],
    send: { method: 'PATCH', path: '/data/rest/search/id/{id}', body: json({ needle: repeated('a{0,1000}', 50) }) },
    statuses: [200, 403],
  }),
  rule('join', {
    before: [post('/data/rest/search', json({ text: 'x', needle: repeated('n', 20_000), list: texts(2000) }))],
    send: { method: 'DELETE', path: '/data/rest/search/id/{id}' },
    statuses: [200, 204, 403],
  }),
];

const action = (name: string, path: string, more: Partial<Attack> = {}): Attack => ({
  name: `sql-${name}`,
  kind: 'sql',
  send: get(path),
  statuses: [200, 422, 500],
  ...more,
});

const sql: readonly Attack[] = [
  action('correlated', '/data/actions/correlated', { finding: 'D9' }),
  action('correlated-many', '/data/actions/correlated', { finding: 'D9', times: 8 }),
  action('crossed', '/data/actions/crossed'),
  action('nested', '/data/actions/nested'),
  action('repeated', '/data/actions/repeated?text=' + repeated('x', 2000)),
  action('replaced', `/data/actions/replaced?text=${repeated('a', 1500)}&part=${repeated('a', 1500)}`),
  action('liked', `/data/actions/liked?pattern=${encoded(repeated('%x_', 500))}`),
];

const asked = (name: string, query: () => string, more: Partial<Attack> = {}): Attack => ({
  name: `graphql-${name}`,
  kind: 'graphql',
  send: post('/data/graphql', () => JSON.stringify({ query: query() })),
  statuses: [200, 400],
  ...more,
});

const graphql: readonly Attack[] = [
  asked(
    'aliases',
    () => `{ ${Array.from({ length: 1000 }, (_, i) => `a${i}: note(first: 1) { nodes { id } }`).join(' ')} }`,
  ),
  asked('deep', () => `{ note ${repeated('{ nodes ', 2000)}{ id }${repeated(' }', 2001)}`),
  asked('fragments', () => {
    const spread = Array.from({ length: 30 }, (_, i) => `fragment f${i} on Note { ...f${i + 1} ...f${i + 1} }`).join(
      ' ',
    );
    return `{ note { nodes { ...f0 } } } ${spread} fragment f30 on Note { id }`;
  }),
  asked('cycle', () => '{ note { nodes { ...a } } } fragment a on Note { ...b } fragment b on Note { ...a }'),
  asked(
    'pages',
    () =>
      '{ a: note(first: 1000) { nodes { id name body tags } } b: note(first: 1000) { nodes { id name body tags } } }',
    { times: 16 },
  ),
  asked('fields', () => `{ note { nodes { ${repeated('id name n kind ', 4000)} } } }`),
  asked('directives', () => `{ note { nodes { id ${repeated('@include(if: true) ', 1500)} } } }`),
  asked(
    'introspection',
    () =>
      `{ __schema { types { fields { type { ofType { ${repeated('ofType { ', 15)} name ${repeated('} ', 15)} } } } } } }`,
    { times: 8 },
  ),
  asked('strings', () => `{ note(filter: { name: { eq: "${repeated('\\u0041', 5000)}" } }) { nodes { id } } }`),
];

const pattern: readonly Attack[] = [
  {
    name: 'pattern-hyphens',
    kind: 'pattern',
    send: post('/data/rest/coded', json({ code: `${repeated('a-', 200_000)}!` })),
    statuses: [201, 422],
  },
  {
    name: 'pattern-loose',
    kind: 'pattern',
    send: post('/data/rest/coded', json({ loose: repeated('a', 200_000) })),
    statuses: [201, 422],
  },
  {
    name: 'pattern-wide',
    kind: 'pattern',
    send: post('/data/rest/coded', json({ wide: repeated('a', 5000) })),
    statuses: [201, 422],
  },
  {
    name: 'pattern-many',
    kind: 'pattern',
    send: post(
      '/data/rest',
      json({
        operations: [
          { action: 'create', data: { coded: Array.from({ length: 2000 }, () => ({ loose: repeated('a', 2000) })) } },
        ],
      }),
    ),
    statuses: [201, 200, 422],
  },
];

const template: readonly Attack[] = [
  {
    name: 'template-large',
    kind: 'template',
    send: post('/bff/twice', json({ v: repeated('x', 500_000), id: 'x' })),
    statuses: [200, 400, 413, 422, 502],
  },
  {
    name: 'template-nested',
    kind: 'template',
    send: post('/bff/twice', json({ v: { a: texts(30_000) }, id: 'x' })),
    statuses: [200, 400, 413, 422, 502],
  },
  {
    name: 'template-sent',
    kind: 'template',
    send: post('/bff/sent', json({ v: repeated('{{body.v}}', 40_000) })),
    times: 4,
    statuses: [200, 400, 413, 422, 502],
  },
];

const searched = (where: object) => post('/data/rest/note/search', json({ filter: where }));
const many = (count: number, each: string): string[] => Array.from({ length: count }, (_, i) => `${each}${i}`);

const filter: readonly Attack[] = [
  {
    name: 'filter-in',
    kind: 'filter',
    send: searched({ name: { in: many(1000, 'n') }, kind: { nin: many(1000, 'k') } }),
    statuses: [200, 422],
  },
  {
    name: 'filter-like',
    kind: 'filter',
    send: searched({ body: { like: `%${repeated('x%', 3000)}y` } }),
    statuses: [200, 422],
  },
  {
    name: 'filter-ilike',
    kind: 'filter',
    send: searched({ body: { ilike: `%${repeated('x_%', 2000)}y` } }),
    times: 4,
    statuses: [200, 422],
  },
  {
    name: 'filter-stepped',
    kind: 'filter',
    send: searched({ body: { like: `%_${repeated('x', 1000)}y%` } }),
    statuses: [200, 422],
  },
  {
    name: 'filter-sorted',
    kind: 'filter',
    send: get('/data/rest/note?orderby=-body,n&limit=10000&offset=50000'),
    times: 8,
    statuses: [200, 422],
  },
  {
    name: 'filter-grouped',
    kind: 'filter',
    send: get('/data/rest/note?groupby=name,body&limit=10000'),
    times: 8,
    statuses: [200, 400, 422],
  },
  {
    name: 'filter-predicates',
    kind: 'filter',
    send: get(`/data/rest/note?${Array.from({ length: 100 }, (_, i) => `n[ne]=${i}`).join('&')}`),
    times: 8,
    statuses: [200, 400, 414, 422],
  },
  {
    name: 'filter-counted',
    kind: 'filter',
    send: get('/data/rest/note?stats=true&limit=10000'),
    times: 32,
    statuses: [200],
  },
];

const script = (name: string, code: string, more: Partial<Attack> = {}): Attack => ({
  name: `script-${name}`,
  kind: 'script',
  send: post('/data/x/run', json({ code })),
  statuses: [200, 500, 503],
  ...more,
});

const scripts: readonly Attack[] = [
  script('loop', 'for (;;) {}', { times: 16 }),
  script('memory', 'const kept = []; for (;;) kept.push(new Array(100000).fill("x"));'),
  script('text', 'let s = "x"; for (;;) s += s;'),
  script('stack', 'const f = (n) => f(n + 1) + 1; return f(0);'),
  script('pattern', 'return /^(a+)+$/.test("a".repeat(40) + "!");'),
  script('answer', 'return Array.from({ length: 200000 }, (_, i) => ({ ["k" + i]: "x".repeat(100) }));'),
  script('sorted', 'return [...Array(5000000).keys()].sort(() => Math.random() - 0.5).length;'),
];

export const attacks: readonly Attack[] = [
  ...jq,
  ...cel,
  ...sql,
  ...graphql,
  ...pattern,
  ...template,
  ...filter,
  ...scripts,
  ...shapeAttacks,
  ...sizeAttacks,
  {
    name: 'answer-unread',
    kind: 'answer',
    finding: 'R11',
    before: Array.from({ length: 13 }, () => note({ body: repeated('x', 1_000_000) })),
    send: get('/data/rest/note?name=attack&limit=100'),
    times: 30,
    how: 'unread',
    statuses: [],
  },
  {
    name: 'answer-unread-export',
    kind: 'answer',
    finding: 'R11',
    before: Array.from({ length: 13 }, () => note({ body: repeated('x', 1_000_000) })),
    send: get('/data/bulk?entity=note&format=jsonl'),
    times: 16,
    how: 'unread',
    statuses: [],
  },
];
