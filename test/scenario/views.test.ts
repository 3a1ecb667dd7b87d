/**
 * Views over HTTP to a real node: read as an entity, written by no caller, and attacked through every route of the data service by callers
 * whose tickets they are not. Docs: docs/contract/data-definitions.md §1.12, docs/contract/data.md §5.13.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { routes } from '#actors/data/routes.ts';
import type { RouteRow } from '#actors/protocol/route.ts';
import { useDataNode } from '#test/kit/data-node.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import type { Answer, Headers } from '#test/kit/test-node.ts';

const on = useDataNode({ product: 'bureau', extra: 'jobs: { threads: 2 }' });
/** In the titles of tickets that only their agent and leads see. */
const SECRET = 'S3CR3T';
/** What they cost, which clerks never see. */
const COST = 777_001;
const PASSWORD = 'correct horse battery';
const USERS = { ada: ['agent'], bob: ['clerk'], lea: ['lead'], root: ['tenant_admin'] } as const;
const as: Record<string, Headers> = {};

async function logIn(name: keyof typeof USERS): Promise<void> {
  const email = `${name}@example.org`;
  const wish = { email, password: PASSWORD, roles: USERS[name], replace: true };
  await on.it.node.ask(TENANT, 'identity', 'person.ensure', wish);
  const answer = await on.it.call('POST', '/auth/login', on.it.position(), { login: email, password: PASSWORD });
  as[name] = { ...on.it.position(), Authorization: `Bearer ${(answer.json as { access_token: string }).access_token}` };
}

const ask = (name: string, method: string, path: string, body?: unknown, headers: Headers = {}): Promise<Answer> =>
  on.it.call(method, `/data/${path}`, { ...as[name], ...headers }, body);

async function rows(name: string, path: string): Promise<unknown> {
  const answer = await ask(name, 'GET', `rest/${path}`);
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  return (answer.json as { data: unknown }).data;
}

beforeAll(async () => {
  for (const name of Object.keys(USERS)) await logIn(name as keyof typeof USERS);
  as['service'] = on.bearer;
  as['static key'] = { ...on.it.position(), 'X-Api-Key': 'bureau-static-secret' };
  as['anonymous'] = on.it.position();
  const put = async (name: string, row: object): Promise<void> => {
    const made = await ask(name, 'POST', 'rest/ticket', row);
    expect([made.status, made.text]).toEqual([201, made.text]);
  };
  for (const [no, state] of ['open', 'open', 'done'].entries())
    await put('ada', { id: `a${no}`, title: `${SECRET}${no}`, state, mail: `x${no}@example.org` });
  await put('bob', { id: 'b0', title: 'mine', state: 'open', mail: 'bob@example.org' });
  for (const no of [0, 1, 2])
    expect((await ask('lea', 'PATCH', `rest/ticket/id/a${no}`, { cost: COST })).status).toBe(200);
  expect((await ask('lea', 'PATCH', 'rest/ticket/id/b0', { cost: COST })).status).toBe(200);
}, 60_000);

describe('a view is read as an entity', () => {
  test('its rows are those that the caller may read, and its columns what the caller sees', async () => {
    expect(await rows('bob', 'desk')).toEqual([
      { id: 'b0', title: 'mine', state: 'open', price: null, mail: 'b***@example.org' },
    ]);
    expect(await rows('ada', 'desk?fields=id,price&orderby=-id&limit=2')).toEqual([
      { id: 'a2', price: COST },
      { id: 'a1', price: COST },
    ]);
    expect(await rows('bob', 'totals')).toEqual([{ id: 'open', tickets: 1, titles: 'mine' }]);
    expect(await rows('lea', 'totals?orderby=id')).toMatchObject([
      { id: 'done', tickets: 1 },
      { id: 'open', tickets: 3 },
    ]);
    const open = await ask('anonymous', 'GET', 'anon/rest/totals');
    expect([open.status, open.json]).toMatchObject([403, { error: 'read on ticket is not allowed' }]);
  });

  test('filters, groups, cursors, counts, one row', async () => {
    expect(await rows('ada', 'desk?state=open&fields=id')).toEqual([{ id: 'a0' }, { id: 'a1' }]);
    expect(await rows('ada', 'desk?groupby=state&[aggregate]=count,sum(price)')).toEqual([
      { state: 'done', count: 1, 'sum(price)': COST },
      { state: 'open', count: 2, 'sum(price)': 2 * COST },
    ]);
    const first = await ask('ada', 'GET', 'rest/desk?orderby=-state&fields=id&limit=2&after=');
    const { data, page } = first.json as { data: unknown; page: { end_cursor: string; has_next_page: boolean } };
    expect([data, page.has_next_page]).toEqual([[{ id: 'a1' }, { id: 'a0' }], true]);
    const next = `desk?orderby=-state&fields=id&limit=2&after=${page.end_cursor}`;
    expect(await rows('ada', next)).toEqual([{ id: 'a2' }]);
    const paged = (await ask('ada', 'GET', 'rest/desk?limit=2&offset=0&stats=true')).json as {
      stats: object;
      total: number;
    };
    expect([paged.total, paged.stats]).toMatchObject([3, { plan: { access: 'view' } }]);
    const searched = await ask('lea', 'POST', 'rest/desk/search?fields=id', {
      filter: { '[or]': [{ id: 'b0' }, { state: 'done' }] },
    });
    expect((searched.json as { data: unknown }).data).toEqual([{ id: 'a2' }, { id: 'b0' }]);
    const one = await ask('ada', 'GET', 'rest/desk/id/a1');
    expect([one.status, one.headers.get('etag')]).toEqual([200, null]);
    expect((await ask('ada', 'GET', 'rest/desk/id/a1', undefined, { 'If-None-Match': '*' })).status).toBe(200);
    expect((await ask('bob', 'GET', 'rest/desk/id/a1')).json).toMatchObject({ code: 'v2.row_not_found' });
    const words = await ask('ada', 'POST', 'rest/desk/search', { query: 'mine' });
    expect([words.status, words.json]).toMatchObject([501, { code: 'v2.search_text_not_supported' }]);
  });

  test('in GraphQL, exports, scripts and documents', async () => {
    const query =
      '{ desk(order: [id_desc], first: 2) { total nodes { id price mail } } desk_by_id(id: "a0") { title } }';
    expect((await ask('ada', 'POST', 'graphql', { query })).json).toEqual({
      data: {
        desk: {
          total: 3,
          nodes: [
            { id: 'a2', price: COST, mail: 'x***@example.org' },
            { id: 'a1', price: COST, mail: 'x***@example.org' },
          ],
        },
        desk_by_id: { title: `${SECRET}0` },
      },
    });
    const csv = await ask('ada', 'PATCH', 'bulk?entity=desk&format=csv&fields=id,state&orderby=id');
    expect(csv.text).toBe('id,state\r\na0,open\r\na1,open\r\na2,done\r\n');
    const looked = (await ask('ada', 'GET', 'x/look')).json as { rows: unknown[]; one: object };
    expect([looked.rows.length, looked.one]).toMatchObject([3, { id: 'a1' }]);
    expect((await ask('bob', 'GET', 'x/look')).json).toMatchObject({ rows: [{ id: 'b0' }], one: null });
    const openapi = (await ask('lea', 'GET', 'schema/openapi.json')).json as { paths: Record<string, object> };
    expect(Object.keys(openapi.paths['/data/rest/desk'] ?? {})).toEqual(['get']);
    const { text: sdl } = await ask('lea', 'GET', 'schema/graphql');
    expect(sdl).toMatch(/type Desk \{/);
    expect(sdl).not.toMatch(/create_desk|update_desk|delete_desk/);
  });

  test('a view without a rule is a superadmin’s, its row rule hides rows, and a statement that computes with a hidden field is refused', async () => {
    expect((await ask('lea', 'GET', 'rest/closed')).json).toMatchObject({ code: 'v2.query_failed' });
    expect(await rows('ada', 'open_ones?fields=id')).toEqual([{ id: 'a0' }, { id: 'a1' }]);
    expect((await ask('bob', 'GET', 'rest/costs')).status).toBe(403);
    expect(await rows('ada', 'costs?orderby=id')).toEqual([
      { id: 'done', sum: COST },
      { id: 'open', sum: 2 * COST },
    ]);
  });
});

describe('a computed field', () => {
  test('is shown where it is named, to those who read what it is computed from, and can be nothing else', async () => {
    expect(await rows('ada', 'ticket?fields=label,double_cost&orderby=id&limit=1')).toEqual([
      { label: `a0: ${SECRET}0`, double_cost: 2 * COST },
    ]);
    expect(await rows('bob', 'ticket/id/b0?fields=label')).toEqual([{ label: 'b0: mine' }]);
    expect((await ask('bob', 'GET', 'rest/ticket')).text).not.toContain('label');
    for (const query of ['fields=double_cost', 'orderby=double_cost', 'label=x', 'groupby=label'])
      expect([query, (await ask('bob', 'GET', `rest/ticket?${query}`)).status]).toEqual([query, 422]);
    const query = '{ ticket { nodes { id label } } }';
    expect((await ask('bob', 'POST', 'graphql', { query })).json).toEqual({
      data: { ticket: { nodes: [{ id: 'b0', label: 'b0: mine' }] } },
    });
    const hidden = await ask('bob', 'POST', 'graphql', { query: '{ ticket { nodes { double_cost } } }' });
    expect(hidden.text).toContain('v2.graphql_invalid');
    const csv = await ask('bob', 'PATCH', 'bulk?entity=ticket&format=csv&fields=label,id');
    expect(csv.text).toBe('label,id\r\nb0: mine,b0\r\n');
    const written = await ask('ada', 'PATCH', 'rest/ticket/id/a0', { label: 'mine' });
    expect([written.status, written.text.includes('is computed')]).toEqual([403, false]);
    const lead = await ask('lea', 'PATCH', 'rest/ticket/id/a0', { label: 'mine' });
    expect([lead.status, lead.text.includes('is computed')]).toEqual([422, true]);
  });
});

const row = { id: 'n1', title: 'new', state: 'open' };
/** Every way that writes, and what it answers for a view to each caller. */
const WRITES: readonly (readonly [
  method: string,
  path: string,
  body: unknown,
  headers: Headers,
  status: number,
  code: string,
])[] = [
  ['POST', 'rest/desk', row, {}, 403, 'v2.create_failed'],
  ['POST', 'rest/desk', [row], {}, 403, 'v2.create_failed'],
  ['POST', 'rest/desk?[on]=id', row, {}, 403, 'v2.create_failed'],
  ['PUT', 'rest/desk', row, {}, 403, 'v2.update_failed'],
  ['PATCH', 'rest/desk/id/a0', { title: 'x' }, {}, 403, 'v2.update_failed'],
  ['PATCH', 'rest/desk?state=open', { title: 'x' }, { 'If-Count': '2' }, 403, 'v2.update_failed'],
  ['DELETE', 'rest/desk/id/a0', undefined, {}, 403, 'v2.delete_failed'],
  ['DELETE', 'rest/desk/id/a0?purge=true', undefined, {}, 403, 'v2.delete_failed'],
  ['DELETE', 'rest/desk?state=open', undefined, { 'If-Count': '2' }, 403, 'v2.delete_failed'],
  ['POST', 'rest/desk/id/a0/restore', undefined, {}, 403, 'v2.restore_failed'],
  ['POST', 'rest', { operations: [{ data: { desk: row } }] }, {}, 422, 'v2.bulk_failed'],
  ['POST', 'bulk?entity=desk', [row], {}, 403, 'v2.create_failed'],
];

describe('no caller writes a view', () => {
  test.each(WRITES)('%s %s', async (method, path, body, headers, status, code) => {
    for (const name of ['ada', 'lea', 'root', 'service']) {
      const answer = await ask(name, method, path, body, headers);
      expect([name, answer.status, (answer.json as { code?: string } | undefined)?.code, answer.text]).toEqual([
        name,
        status,
        code,
        answer.text,
      ]);
    }
    expect(await rows('ada', 'desk?fields=title&orderby=id')).toEqual(
      [0, 1, 2].map((no) => ({ title: `${SECRET}${no}` })),
    );
  });
});

const QUERIES = [
  '',
  'stats=true&meta=true&states=true&allowedactions=true&sendhash=true&version=1&deleted=true',
  'unmask=true',
  'orderby=price&limit=1',
  'groupby=price',
  'groupby=title',
  '[aggregate]=min(price),max(title),count_distinct(title)',
  'title[like]=S%25',
  'price[gt]=5',
  'mail[like]=x%25',
  'id=a0',
  'include=ticket',
  'expression=.',
  'download=true&field=title',
  ...['json', 'jsonl', 'csv'].map((format) => `entity=desk&format=${format}`),
  `query=${encodeURIComponent('{ desk { nodes { id title price } } totals { nodes { titles } } }')}`,
];
const BODIES: readonly unknown[] = [
  undefined,
  { filter: {} },
  { filter: { title: { like: 'S%' } } },
  { filter: { '[not]': { price: { null: true } } } },
  { id: 'a0', title: 'guess' },
  { operations: [{ action: 'update', data: { desk: { id: 'a0', title: 'x' } } }] },
  { query: '{ desk(filter: { price: { gt: 5 } }) { nodes { id title price } } costs { nodes { sum } } }' },
];
const NAMES: Readonly<Record<string, readonly string[]>> = {
  entity: ['desk', 'totals', 'costs', 'open_ones'],
  id: ['a0'],
  path: ['look'],
};

function pathsOf(path: string): string[] {
  const match = /\{(\w+)\*?\}/.exec(path);
  if (match === null) return [path];
  return (NAMES[match[1]!] ?? ['x']).flatMap((name) => pathsOf(path.replace(match[0], name)));
}

const SHOTS = Object.entries<RouteRow>(routes)
  .filter(([, { listener }]) => listener !== 'own')
  .flatMap(([route, { path, methods }]) =>
    pathsOf(path).flatMap((at) =>
      methods.flatMap((method) => [
        ...QUERIES.map((query) => ({
          route,
          method,
          target: query === '' ? at : `${at}?${query}`,
          body: undefined as unknown,
        })),
        ...(method === 'GET' ? [] : BODIES.map((body) => ({ route, method, target: at, body }))),
      ]),
    ),
  );

/** The shots whose answer holds the title of another's ticket, or a cost. */
async function hits(name: string): Promise<string[]> {
  const found = new Set<string>();
  const rest = SHOTS.values();
  const lane = async (): Promise<void> => {
    for (const { route, method, target, body } of rest) {
      const { text, status } = await on.it.call(method, target, as[name], body);
      expect(status, target).not.toBe(429);
      if (text.includes(SECRET) || text.includes(String(COST))) found.add(route);
    }
  };
  await Promise.all([lane(), lane(), lane(), lane(), lane(), lane()]);
  return [...found].toSorted();
}

describe('every route of the data service, aimed at views', () => {
  test('the shots are real: they show an agent what others must not see', async () => {
    expect(await hits('ada')).toEqual(['endpoint', 'export', 'graphql', 'graphql_get', 'list', 'read', 'search']);
  }, 120_000);

  test.each(['bob', 'root', 'service', 'static key', 'anonymous'])(
    'shows nothing of it to %s',
    async (name) => {
      expect(await hits(name)).toEqual([]);
    },
    120_000,
  );
});
