/** Declared actions over HTTP to a real node: docs/contract/data-behaviour.md §2.2, §2.3. */
import { describe, expect, test } from 'vitest';
import { useDataNode } from '#test/kit/data-node.ts';
import type { Answer } from '#test/kit/test-node.ts';

const on = useDataNode({ product: 'acts', extra: 'jobs: { threads: 2 }' });

const { ask } = on;
const act = (method: string, path: string, body?: unknown, headers = on.bearer): Promise<Answer> =>
  ask(method, `actions/${path}`, body, headers);
const codeOf = ({ status, json }: Answer): unknown => [status, (json as { code?: string } | undefined)?.code];
const details = ({ json }: Answer): unknown => (json as { details?: unknown }).details;

interface Done {
  readonly total: number;
  readonly count?: number;
  readonly data?: readonly Record<string, unknown>[];
}
const done = ({ json }: Answer): Done => json;

async function book(title: string, more: object = {}): Promise<string> {
  const made = await act('POST', 'books', { title, ...more });
  expect(made.status, made.text).toBe(200);
  return done(made).data![0]!['id'] as string;
}
const titles = async (like: string): Promise<unknown[]> =>
  done(await act('GET', `books?title=${encodeURIComponent(like)}`)).data!.map(({ title }) => title);

describe('verbs and sections', () => {
  test('GET reads from the query string: total, data and count', async () => {
    await book('verbs one', { pages: 7 });
    await book('verbs two');
    const answer = await act('GET', 'books?title=verbs%25&most=1');
    expect([answer.status, done(answer)]).toMatchObject([
      200,
      { total: 1, count: 1, data: [{ title: 'verbs one', pages: 7 }] },
    ]);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  test('POST creates from the JSON body; defaults are filled in, and the stateflow’s initial state', async () => {
    const answer = await act('POST', 'books', { title: 'posted', price: '9.50', _format: 'json', _method: 'GET' });
    expect(done(answer)).toMatchObject({
      total: 1,
      count: 1,
      data: [{ title: 'posted', pages: 1, price: '9.50', status: 'in' }],
    });
  });

  test('PUT and PATCH update; DELETE takes its parameters from the query string and is ruled for itself', async () => {
    const id = await book('patched');
    const lent = await act('PATCH', 'books', { id, status: 'out' });
    expect(done(lent)).toEqual({ total: 1, count: 1, data: [{ title: 'patched (lent)', status: 'out' }] });
    expect(done(await act('PUT', 'books', { id, status: 'in' })).total).toBe(1);
    expect(codeOf(await act('DELETE', `books?id=${id}`))).toEqual([403, 'v2.forbidden']);
  });

  test('a report: windows, recursion, patterns and JSON over the rows that the caller may read; who may not call it is refused', async () => {
    for (const [title, pages, price] of [
      ['report a', 7, '1.5'],
      ['report b', 40, '12'],
      ['report c', 40, null],
    ] as const)
      await book(title, { pages, price });
    const rows = [
      { title: 'report b', place: 1, running: 47, price: '12.00', steps: [3, 2, 1], long: 2 },
      { title: 'report c', place: 1, running: 87, price: null, steps: [3, 2, 1], long: 2 },
      { title: 'report a', place: 3, running: 7, price: '1.50', steps: [3, 2, 1], long: 2 },
    ];
    const answer = await act('GET', `report?pattern=${encodeURIComponent('^report [abc]$')}`);
    expect(answer.status, answer.text).toBe(200);
    const running = (row: Record<string, unknown>): unknown => ({
      ...row,
      running: row['place'] === 1 ? 0 : row['running'],
    });
    expect(done(answer).data!.map(running)).toEqual(rows.map(running));
    // A pattern that RE2 does not take is the caller's fault, and costs the statement alone.
    expect(codeOf(await act('GET', `report?pattern=${encodeURIComponent('(?=a)')}`))).toEqual([
      500,
      'v2.action_failed',
    ]);
    expect((await act('GET', 'report?pattern=a', undefined, on.it.position())).status).toBe(401);
  });

  test('a statement that gives no rows answers its total alone; a missing body is valid when all have defaults', async () => {
    const answer = await act('PUT', 'fill');
    expect([answer.status, answer.json]).toEqual([200, { total: 1 }]);
    expect(done(await act('GET', 'shelves')).data).toContainEqual({ name: 'spare', books: 0 });
    expect(codeOf(await act('POST', 'books'))).toEqual([400, 'v2.bad_params']);
  });

  test.each([
    ['404 v2.action_not_found', 'GET', 'nothing', 404, 'v2.action_not_found', null],
    ['404 v2.action_not_found for what objects have', 'GET', 'constructor', 404, 'v2.action_not_found', null],
    ['400 v2.bad_path', 'GET', '', 400, 'v2.bad_path', null],
    ['405 v2.action_method_not_allowed', 'POST', 'shelves', 405, 'v2.action_method_not_allowed', 'GET'],
    ['405 with every verb of the sections', 'GET', 'fill', 405, 'v2.action_method_not_allowed', 'POST, PUT, PATCH'],
    ['405 for OPTIONS', 'OPTIONS', 'shelves', 405, 'v2.action_method_not_allowed', 'GET'],
    [
      '405 for an unknown verb',
      'PROPFIND',
      'books',
      405,
      'v2.action_method_not_allowed',
      'GET, POST, PUT, PATCH, DELETE',
    ],
  ])('%s', async (_row, method, name, status, code, allow) => {
    const answer = await act(method, name);
    expect(codeOf(answer)).toEqual([status, code]);
    expect(answer.headers.get('allow')).toBe(allow);
    if (allow !== null) expect(details(answer)).toEqual({ allowed: allow.split(', ') });
  });

  test('405 for HEAD', async () => {
    const answer = await act('HEAD', 'shelves');
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET']);
  });
});

describe('parameters', () => {
  test.each<[string, string, string, unknown, string]>([
    ['required and missing', 'GET', 'books', undefined, 'title'],
    ['null where one is required', 'POST', 'books', { title: null }, 'title'],
    ['of another type', 'POST', 'books', { title: 5 }, 'title'],
    ['no whole number', 'GET', 'books?title=a&most=1.5', undefined, 'most'],
    ['an integer as an empty text', 'GET', 'books?title=a&most=', undefined, 'most'],
    ['unknown', 'POST', 'books', { title: 'a', titel: 'b' }, 'titel'],
    ['unknown in the query', 'GET', 'books?title=a&titel=b', undefined, 'titel'],
    ['a list where one is wanted', 'POST', 'books', { title: ['a'] }, 'title'],
    ['one where a list is wanted', 'POST', 'fill', { names: 'a', secret: 'x' }, 'names'],
    ['__proto__', 'POST', 'books', '{"title":"a","x":1}', 'x'],
    ['a date that is none', 'GET', 'typed?day=2023-02-30', undefined, 'day'],
    ['a uuid that is none', 'GET', 'typed?u=1', undefined, 'u'],
    ['a boolean that is none', 'GET', 'typed?b=yes', undefined, 'b'],
    ['a list of another type', 'GET', 'typed?list=1&list=a', undefined, 'list'],
  ])('400 v2.bad_params: %s', async (_what, method, path, body, field) => {
    const answer = await act(method, path, body);
    expect(codeOf(answer)).toEqual([400, 'v2.bad_params']);
    expect(details(answer)).toMatchObject({ fields: { [field]: [expect.any(String)] } });
  });

  test.each([
    ['no JSON', '{"title":'],
    ['no object', '[]'],
    ['a duplicate key', '{"title":"a","title":"b"}'],
    ['__proto__ as a key', '{"__proto__":{}}'],
    ['text', '"x"'],
  ])('400 v2.bad_params: a body that is %s', async (_what, body) => {
    expect(codeOf(await act('POST', 'books', body))).toEqual([400, 'v2.bad_params']);
  });

  test('every type, from text and from JSON; keys of the query that mean something elsewhere count for nothing', async () => {
    const id = await book('typed', { pages: 41, price: '4.10' });
    for (const query of [
      's=typed',
      'i=41',
      'n=40.5',
      'd=4.1',
      `id=${id.toLowerCase()}`,
      'list=40&list=41',
      's=typed&stats=true&page=2',
    ])
      expect(done(await act('GET', `typed?${query}`)).data, query).toContainEqual({ title: 'typed' });
    expect(done(await act('POST', 'fill', { names: ['spare', null], secret: 'x' })).data).toEqual([{ name: 'spare' }]);
  });

  test('datastore names the one there is', async () => {
    expect((await act('GET', 'shelves?datastore=default')).status).toBe(200);
    expect(codeOf(await act('GET', 'shelves?datastore=other'))).toEqual([400, 'v2.bad_params']);
  });

  test.each([
    "'; delete from book; --",
    "' or '1'='1",
    "%' union select id, name, 1 from shelf --",
    '$1',
    ':title',
    '/* */ \u0027\u0027 --',
    "\\'; drop table book; --",
    '‘; delete from book',
  ])('a parameter is a value whatever it looks like: %s', async (text) => {
    const count = async (): Promise<number> => done(await act('GET', 'books?title=%25&most=1000')).total;
    const before = await count();
    const id = await book(text);
    expect(
      done(await act('GET', `books?title=${encodeURIComponent(text.replaceAll('\\', '\\\\').replaceAll('%', '\\%'))}`))
        .data,
    ).toMatchObject([{ id, title: text }]);
    for (const key of ['s', 'list', 'i', 'n', 'd', 'b', 'day', 'at', 'id', 'u']) {
      const { status } = await act('GET', `typed?${key}=${encodeURIComponent(text)}`);
      expect(status, key).toBe(key === 's' ? 200 : 400);
    }
    expect(codeOf(await act('PATCH', 'books', { id: text, status: 'out' }))).toEqual([400, 'v2.bad_params']);
    expect(await count()).toBe(before + 1);
  });
});

describe('rules', () => {
  test('no rule is no entry, except for superadmins; a section’s own rule goes before the action’s', async () => {
    expect(codeOf(await act('GET', 'closed'))).toEqual([403, 'v2.forbidden']);
    expect(codeOf(await act('POST', 'fill', { names: [], secret: 'y' }))).toEqual([403, 'v2.forbidden']);
    expect((await act('POST', 'fill', { names: [], secret: 'x' })).status).toBe(200);
    expect((await act('PUT', 'fill', { name: 'own rule' })).status).toBe(200);
  });

  test('rows that a rule hides stay hidden, and what an entity denies the action is denied', async () => {
    await book('hidden');
    expect(await titles('hidden')).toEqual([]);
    expect(codeOf(await act('POST', 'books', { title: 'denied' }))).toEqual([403, 'v2.forbidden']);
  });

  test('401 without a token, and there is no mirror', async () => {
    expect((await act('GET', 'shelves', undefined, on.it.position())).status).toBe(401);
    expect((await ask('GET', 'anon/actions/shelves', undefined, on.it.position())).status).toBe(404);
    expect((await ask('POST', 'anon/rest/book/action/books', {}, on.it.position())).status).toBe(404);
  });
});

describe('failures: 500 v2.action_failed, and nothing is kept', () => {
  test('a value that the row cannot take, a unique one that is taken', async () => {
    const long = await act('POST', 'books', { title: 'x'.repeat(81) });
    expect(codeOf(long)).toEqual([500, 'v2.action_failed']);
    expect(details(long)).toMatchObject({ status: 422, fields: { title: [expect.any(String)] } });
    expect((await act('PUT', 'fill', { name: 'twice' })).status).toBe(200);
    expect(codeOf(await act('PUT', 'fill', { name: 'twice' }))).toEqual([500, 'v2.action_failed']);
  });

  test('a state that cannot follow names those that can', async () => {
    const id = await book('moving');
    const refused = await act('PATCH', 'books', { id, status: 'lost' });
    expect(codeOf(refused)).toEqual([500, 'v2.action_failed']);
    expect(details(refused)).toMatchObject({ status: 422, allowed: ['out'] });
    expect(await titles('moving%')).toEqual(['moving']);
  });
});

describe('the alias of an entity', () => {
  const alias = (entity: string, action: string, body?: unknown, headers = on.bearer): Promise<Answer> =>
    ask('POST', `rest/${entity}/action/${action}`, body, headers);

  test('reads unless _method names another verb; data, count and total always', async () => {
    await book('aliased');
    expect(done(await alias('book', 'books', { title: 'aliased' }))).toMatchObject({ count: 1, total: 1 });
    const made = await alias('book', 'books', { title: 'aliased two', _method: 'post', _format: 'x' });
    expect(done(made)).toMatchObject({ count: 1, total: 1, data: [{ title: 'aliased two' }] });
    expect((await alias('shelf', 'fill', { name: 'by alias', _method: 'PUT' })).json).toEqual({
      data: [],
      count: 0,
      total: 1,
    });
    expect((await alias('shelf', 'shelves')).status).toBe(200);
  });

  test.each<[string, string, string, unknown, number, string]>([
    ['400 v2.bad_json', 'book', 'books', '{"title":', 400, 'v2.bad_json'],
    ['400 v2.bad_json for an array', 'book', 'books', '[]', 400, 'v2.bad_json'],
    ['400 v2.bad_params', 'book', 'books', {}, 400, 'v2.bad_params'],
    ['400 v2.bad_params for a _method that is no text', 'book', 'books', { _method: 5 }, 400, 'v2.bad_params'],
    ['404 v2.action_not_found', 'book', 'nothing', {}, 404, 'v2.action_not_found'],
    ['404 for an action of another entity', 'shelf', 'books', { title: 'a' }, 404, 'v2.action_not_found'],
    [
      '405 for a verb without a section',
      'shelf',
      'shelves',
      { _method: 'DELETE' },
      405,
      'v2.action_method_not_allowed',
    ],
    ['405 for what is no verb', 'shelf', 'shelves', { _method: 'constructor' }, 405, 'v2.action_method_not_allowed'],
    ['400 v2.bad_path', '', 'books', {}, 400, 'v2.bad_path'],
    ['400 v2.bad_path without an action', 'book', '', {}, 400, 'v2.bad_path'],
  ])('%s', async (_row, entity, action, body, status, code) => {
    expect(codeOf(await alias(entity, action, body))).toEqual([status, code]);
  });

  test('400 v2.body_read: bytes that are no text', async () => {
    const body = Buffer.from([0x7b, 0xff, 0xfe, 0x7d]);
    const headers = { ...on.bearer, 'Content-Type': 'application/json' };
    const answer = await fetch(`${on.it.gateway}/data/rest/book/action/books`, { method: 'POST', headers, body });
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([400, 'v2.body_read']);
  });
});

describe('as on every route', () => {
  test('an expression replaces the body; a key makes a write happen once, and means nothing to a read', async () => {
    await book('expressed');
    const answer = await act(
      'GET',
      `books?title=expressed&expression=${encodeURIComponent('[.total, .data[0].title]')}`,
    );
    expect(answer.json).toEqual([1, 'expressed']);
    const keyed = { ...on.bearer, 'Idempotency-Key': 'act-1' };
    const [first, second] = [
      await act('POST', 'books', { title: 'keyed' }, keyed),
      await act('POST', 'books', { title: 'keyed' }, keyed),
    ];
    expect([second.text, second.headers.get('idempotency-replayed')]).toEqual([first.text, 'true']);
    expect(await titles('keyed')).toEqual(['keyed']);
    expect(codeOf(await act('POST', 'books', { title: 'other' }, keyed))).toEqual([422, 'v2.idempotency_key_reused']);
    expect((await act('GET', 'shelves', undefined, keyed)).headers.get('idempotency-replayed')).toBeNull();
  });
});

describe('action() in a script', () => {
  test('the same registry, parameters, rules and results; what one call wrote the next one reads', async () => {
    const calls = [
      ['books', { title: 'scripted', pages: 3, _method: 'POST' }],
      ['books', { title: 'scripted' }],
      ['nothing', {}],
      ['books', { title: 5 }],
      ['shelves', { _method: 'DELETE' }],
      ['closed', {}],
      ['books', { title: 'x'.repeat(81), _method: 'POST' }],
    ];
    const answer = await ask('POST', 'x/act', { calls });
    expect(answer.json, answer.text).toMatchObject([
      { total: 1, count: 1, data: [{ title: 'scripted', pages: 3 }] },
      { total: 1, count: 1, data: [{ title: 'scripted' }] },
      { code: 'v2.action_not_found', status: 404 },
      { code: 'v2.bad_params', status: 400, details: { fields: { title: [expect.any(String)] } } },
      { code: 'v2.action_method_not_allowed', status: 405, details: { allowed: ['GET'] } },
      { code: 'v2.forbidden', status: 403 },
      { code: 'v2.action_failed', status: 422 },
    ]);
    expect(await titles('scripted')).toEqual(['scripted']);
  });

  test('a script that fails leaves nothing of its actions', async () => {
    const calls = [['books', { title: 'never kept', _method: 'POST' }]];
    expect((await ask('POST', 'x/act', { calls, fail: true })).status).toBe(500);
    expect(await titles('never kept')).toEqual([]);
  });

  test('a stateflow’s script runs within an action of a script', async () => {
    const id = await book('nested');
    const answer = await ask('POST', 'x/act', { calls: [['books', { id, status: 'out', _method: 'PATCH' }]] });
    expect(answer.json).toMatchObject([{ total: 1, data: [{ title: 'nested (lent)', status: 'out' }] }]);
  });

  test('a query endpoint may call the read section only', async () => {
    expect((await ask('GET', 'x/look')).json).toEqual([expect.any(Number), expect.any(Number)]);
    expect(codeOf(await ask('GET', 'x/look?method=POST'))).toEqual([500, 'v2.script_error']);
  });
});
