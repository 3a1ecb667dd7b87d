/** Scripted endpoints over HTTP to a real node. Spec: docs/contract/data-behaviour.md §3.2. */
import { describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { useDataNode } from '#test/kit/data-node.ts';
import type { Answer, Headers } from '#test/kit/test-node.ts';

const on = useDataNode({ product: 'scripted', extra: 'jobs: { threads: 2 }' });

const x = (method: string, path: string, body?: unknown, headers: Headers = on.bearer): Promise<Answer> =>
  on.ask(method, `x/${path}`, body, headers);
const run = async (code: string): Promise<Answer> => x('POST', 'run', { code });
const codeOf = (answer: Answer): unknown => (answer.json as { code?: unknown } | undefined)?.code;

describe('calls (docs/contract/data-behaviour.md §3.2): exact-path lookup, the declared verb, what the script sees', () => {
  test("the script's return value is the whole body, status 200; mutate defaults to POST", async () => {
    const answer = await x(
      'POST',
      'tools/echo?a=1&a=2&b=',
      { x: [1] },
      { ...on.bearer, 'Accept-Language': 'de', 'X-Secret': 's' },
    );
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({
      method: 'POST',
      path: 'tools/echo',
      query: { a: '1', b: '' },
      headers: { 'accept-language': 'de' },
      body: { x: [1] },
      principal: { type: 'service' },
      tenant: 'acme:shop:dev:main',
    });
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.text).not.toContain('Bearer');
    expect((await x('PUT', 'tools/echo')).json).toEqual({ put: true });
  });

  test.each([
    ['405 v2.method_not_allowed with Allow', 'DELETE', 'tools/echo', 405, 'v2.method_not_allowed'],
    ['404 v2.endpoint_not_found', 'GET', 'tools', 404, 'v2.endpoint_not_found'],
    ['404 v2.endpoint_not_found with a slash too many', 'POST', 'tools/echo/', 404, 'v2.endpoint_not_found'],
    ['404 v2.endpoint_path_missing', 'GET', '', 404, 'v2.endpoint_path_missing'],
    ['403 v2.forbidden: admins only', 'GET', 'only/admins', 403, 'v2.forbidden'],
    ['403 v2.forbidden: superadmins only', 'GET', 'only/supers', 403, 'v2.forbidden'],
    ['403 v2.forbidden: users only', 'GET', 'only/users', 403, 'v2.forbidden'],
  ])('%s', async (_row, method, path, status, code) => {
    const answer = await x(method, path);
    expect([answer.status, codeOf(answer)]).toEqual([status, code]);
    expect(answer.headers.get('allow')).toBe(status === 405 ? 'POST, PUT' : null);
  });

  test.each(['OPTIONS', 'HEAD', 'PROPFIND'])(
    '%s is not declared: the stated 405, not the door’s own answer',
    async (verb) => {
      const answer = await x(verb, 'tools/echo');
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST, PUT']);
      if (verb !== 'HEAD') expect(codeOf(answer)).toBe('v2.method_not_allowed');
      expect((await x(verb, 'open')).headers.get('allow')).toBe('GET');
      expect((await x(verb, 'nothing')).status).toBe(404);
      expect((await x(verb, '')).status).toBe(404);
      expect((await on.it.call(verb, '/data/x/open', {})).status).toBe(400);
      // Elsewhere the door answers them.
      expect((await on.it.call('OPTIONS', '/data/rest/item', on.bearer)).status).toBe(204);
    },
  );

  test('a retry under an Idempotency-Key runs the script’s changes once; a request without a credential has no key', async () => {
    const keyed = { ...on.bearer, 'Idempotency-Key': 'k1' };
    const made = await x('POST', 'crud', { name: 'keyed' }, keyed);
    const before = await on.it.call('GET', '/data/rest/item', on.bearer);
    const again = await x('POST', 'crud', { name: 'keyed' }, keyed);
    expect([again.status, again.text, again.headers.get('idempotency-replayed')]).toEqual([200, made.text, 'true']);
    expect((await on.it.call('GET', '/data/rest/item', on.bearer)).text).toBe(before.text);
    expect((await x('POST', 'crud', { name: 'other' }, keyed)).status).toBe(422);
    const anonymous = { ...on.it.position(), 'Idempotency-Key': 'k1' };
    for (const a of [1, 2])
      expect((await x('GET', `open?a=${a}`, undefined, anonymous)).json).toMatchObject({ q: { a: `${a}` } });
  });

  test('/data/x itself is 404 v2.endpoint_path_missing', async () => {
    expect(codeOf(await on.it.call('GET', '/data/x', on.bearer))).toBe('v2.endpoint_path_missing');
  });

  test('401 v2.unauthenticated without a token, plain 401 Unauthorized with a bad one', async () => {
    const bare = await x('POST', 'tools/echo', {}, on.it.position());
    expect([bare.status, codeOf(bare)]).toEqual([401, 'v2.unauthenticated']);
    const bad = await x('GET', 'open', undefined, { ...on.it.position(), Authorization: 'Bearer nonsense' });
    expect([bad.status, bad.text]).toEqual([401, 'Unauthorized']);
  });

  test('auth public needs no token; a GET on a query endpoint reads no body', async () => {
    const answer = await x('GET', 'open?k=v', undefined, on.it.position());
    expect(answer.json).toEqual({ who: 'anonymous', q: { k: 'v' }, body: null });
  });

  test.each([
    ['broken JSON', '{"a":'],
    ['a duplicate key', '{"a":1,"a":2}'],
    ['more than 1 MiB', JSON.stringify('x'.repeat(limits.scripts.bodyBytesMax))],
  ])('400 v2.bad_body: %s', async (_name, body) => {
    const answer = await x('POST', 'tools/echo', body);
    expect([answer.status, codeOf(answer)]).toEqual([400, 'v2.bad_body']);
  });

  test('X-Cache is MISS, then HIT with the same body; another query is another answer', async () => {
    const [first, second, other] = [await x('GET', 'cached'), await x('GET', 'cached'), await x('GET', 'cached?a=1')];
    expect([first, second, other].map((answer) => answer.headers.get('x-cache'))).toEqual(['MISS', 'HIT', 'MISS']);
    expect(second.text).toBe(first.text);
    expect((await x('GET', 'open')).headers.get('x-cache')).toBeNull();
  });

  test('429 v2.rate_limited with its details and Retry-After', async () => {
    const answers = [await x('GET', 'limited'), await x('GET', 'limited'), await x('GET', 'limited')];
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 429]);
    expect(answers[0]!.headers.get('x-ratelimit-remaining')).toBe('1');
    const refused = answers[2]!.json as { code: string; details: Record<string, unknown> };
    expect(refused.code).toBe('v2.rate_limited');
    expect(refused.details).toMatchObject({ profile: 'limited', limit: 2, remaining: 0 });
    expect(Number(answers[2]!.headers.get('retry-after'))).toBe(refused.details['retry_after']);
  });
});

describe('host functions, under the rules of the caller', () => {
  test('create, update, get, query and delete in one script', async () => {
    const answer = await x('POST', 'crud', { name: 'a script row' });
    expect(answer.json).toMatchObject({
      made: { name: 'a script row', price: 5 },
      changed: { price: 7 },
      seen: { price: 7 },
      listed: [{ name: 'a script row', price: 7 }],
      gone: true,
    });
  });

  test('a script that fails after its writes leaves none of them', async () => {
    const failed = await x('POST', 'crud', { name: 'half', fail: true });
    expect([failed.status, codeOf(failed)]).toEqual([500, 'v2.script_error']);
    expect((await on.it.call('GET', '/data/rest/item?name=half', on.bearer)).json).toMatchObject({ count: 0 });
    const kept = await x('POST', 'crud', { name: 'half', keep: true });
    expect(kept.status).toBe(200);
    expect((await on.it.call('GET', '/data/rest/item?name=half', on.bearer)).json).toMatchObject({
      count: 1,
      data: [{ price: 7 }],
    });
  });

  test('what a rule denies the caller it denies the caller’s script, which may go on', async () => {
    const answer = await x('POST', 'denied', { name: 'dear' });
    expect(answer.json).toMatchObject({ status: 403 });
    expect((await on.it.call('GET', '/data/rest/item?name=dear', on.bearer)).json).toMatchObject({ count: 1 });
  });

  test('a unique name taken by the same script is refused, and nothing stays', async () => {
    expect((await x('POST', 'twice', { name: 'double' })).status).toBe(500);
    expect((await on.it.call('GET', '/data/rest/item?name=double', on.bearer)).json).toMatchObject({ count: 0 });
  });

  test('a query endpoint changes nothing', async () => {
    expect(codeOf(await x('GET', 'sneaky'))).toBe('v2.script_error');
  });

  test('twelve scripts that add one to the same row: every acknowledged one counts', async () => {
    const made = await on.it.call('POST', '/data/rest/item', on.bearer, { name: 'counter', price: 0 });
    const id = (made.json as { data: { id: string }[] }).data[0]!.id;
    const answers = await Promise.all(Array.from({ length: 12 }, () => x('POST', 'count', { id })));
    const done = answers.filter((answer) => answer.status === 200).length;
    expect(done).toBeGreaterThan(0);
    expect((await on.it.call('GET', `/data/rest/item/id/${id}`, on.bearer)).json).toMatchObject({
      data: [{ price: done }],
    });
  });
});

describe('a refusal that the script does not catch', () => {
  const noRow = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
  const refused = [
    ['db.create of a row that is not valid', "db.create('item', { price: -1 })", 422, 'v2.create_failed'],
    ['db.update of no row', `db.update('item', '${noRow}', { price: 1 })`, 404, 'v2.update_failed'],
    [
      'db.delete that a rule denies',
      "db.delete('item', db.create('item', { name: 'a dear row', price: 1000 }).id)",
      403,
      'v2.delete_failed',
    ],
    ['db.query by a field that is not there', "db.query('item', { filter: { nothing: 1 } })", 422, 'v2.query_failed'],
  ] as const;

  test.each(refused)('500 v2.script_error names it in details.cause: %s', async (_what, code, status, cause) => {
    const answer = await run(code);
    expect([answer.status, answer.json]).toEqual([
      500,
      { error: expect.any(String), code: 'v2.script_error', details: { cause: { status, code: cause } } },
    ]);
  });

  test.each(refused)(
    'goes through as it is where the endpoint says refusals: pass: %s',
    async (_what, code, status, own) => {
      const answer = await x('POST', 'pass/run', { code });
      expect([answer.status, codeOf(answer)]).toEqual([status, own]);
      expect((await on.it.call('GET', '/data/rest/item?name=a dear row', on.bearer)).json).toMatchObject({ count: 0 });
    },
  );

  test('with the details that the same call over HTTP has', async () => {
    const { json } = await x('POST', 'pass/run', { code: "db.create('item', { price: -1 })" });
    expect(json).toEqual((await on.it.call('POST', '/data/rest/item', on.bearer, { price: -1 })).json);
  });

  test.each([
    ['an error of its own', "throw Object.assign(new Error('mine'), { code: 'v2.delete_failed', status: 403 });"],
    ['another one after a refusal', "try { db.create('item', {}); } catch { throw new Error('mine'); }"],
    [
      'one that lies about its number',
      "try { db.create('item', {}); } catch {} Object.prototype.refusal = 0; throw new Error('mine');",
    ],
  ])('a script cannot name %s as a refusal', async (_what, code) => {
    const answer = await x('POST', 'pass/run', { code });
    expect([answer.status, codeOf(answer), answer.text.includes('cause')]).toEqual([500, 'v2.script_error', false]);
  });

  test('an action that is not there is the script’s mistake: 500, also with refusals: pass', async () => {
    const answer = await x('POST', 'pass/run', { code: "action('nothing')" });
    expect([answer.status, answer.json]).toMatchObject([
      500,
      { code: 'v2.script_error', details: { cause: { status: 404, code: 'v2.action_not_found' } } },
    ]);
  });

  test('the tenant’s OpenAPI document spells the endpoints out that the caller may call, with what each may answer', async () => {
    const { paths } = (await on.it.call('GET', '/data/schema/openapi.json', on.bearer)).json as {
      paths: Record<string, { post?: { responses: Record<string, unknown> } }>;
    };
    const answers = (path: string) => Object.keys(paths[`/data/x/${path}`]!.post!.responses);
    expect(answers('pass/run')).toEqual(expect.arrayContaining(['200', '403', '404', '422', '500']));
    expect(JSON.stringify(paths['/data/x/pass/run'])).toContain('v2.create_failed');
    expect(JSON.stringify(paths['/data/x/run'])).not.toContain('v2.create_failed');
    expect(paths['/data/x/only/admins']).toBeUndefined();
  });
});

describe('hostile scripts', () => {
  test.each([
    ['an endless loop', 'for (;;) {}'],
    ['an endless promise chain', 'const f = () => Promise.resolve().then(f); return f();'],
    ['a promise that never settles', 'return new Promise(() => {});'],
    ['recursion without end', 'const f = () => f() + 1; return f();'],
    ['a memory bomb', 'const a = []; for (;;) a.push(new Array(10000).fill(1));'],
    ['a text of 2^28 characters', "return 'x'.repeat(2 ** 28);"],
    ['a getter that throws', "return { get a() { throw new Error('no'); } };"],
    ['a proxy that throws', "return new Proxy({}, { ownKeys() { throw new Error('no'); } });"],
    ['a circle', 'const a = {}; a.a = a; return a;'],
    ['a value that is no JSON', 'return { toJSON() { return undefined; } };'],
    ['a regex bomb', "return /^(a+)+$/.test('a'.repeat(40) + '!');"],
    ['an error that cannot be shown', 'throw { toString() { throw 1; } };'],
    ['no such host function', 'return host.secret;'],
  ])('500 v2.script_error: %s', async (_name, code) => {
    const answer = await run(code);
    expect([answer.status, codeOf(answer)]).toEqual([500, 'v2.script_error']);
    expect((await on.it.call('GET', '/data/rest/item?limit=1', on.bearer)).status).toBe(200);
  });

  test.each([
    ['typeof process', 'undefined'],
    ['typeof require', 'undefined'],
    ['typeof fetch', 'undefined'],
    ['typeof setTimeout', 'undefined'],
    ['typeof WebAssembly', 'undefined'],
    ["typeof Function('return this')().process", 'undefined'],
    ["typeof (function () {}).constructor.constructor('return process')", 'function'],
    ["db.get.constructor('return typeof process')()", 'undefined'],
    [
      "(() => { 'use strict'; try { request.body.code = 1; } catch (e) { return e.name; } return 'set'; })()",
      'TypeError',
    ],
  ])('no way out: %s', async (code, expected) => {
    expect((await run(`return ${code};`)).json).toBe(expected);
  });

  test('what one script does to the world of its machine the next one does not see', async () => {
    await run(
      "Object.prototype.stain = 1; Array.prototype.map = null; globalThis.mark = 1; JSON.stringify = () => '1'; return 1;",
    );
    expect((await run('return [({}).stain ?? null, typeof [].map, typeof mark];')).json).toEqual([
      null,
      'function',
      'undefined',
    ]);
  });

  test('sixteen runaway scripts at once: each answered, others served, and the pool is whole again', async () => {
    const runaways = Array.from({ length: 16 }, () => x('GET', 'loop'));
    for (let i = 0; i < 10; i++)
      expect((await on.it.call('GET', '/data/rest/item?limit=1', on.bearer)).status).toBe(200);
    const answers = await Promise.all(runaways);
    expect(answers.filter(({ status }) => status !== 500 && status !== 503)).toEqual([]);
    expect(answers.some(({ status }) => status === 500)).toBe(true);
    for (const { status, headers } of answers) if (status === 503) expect(headers.get('retry-after')).toBe('1');
    expect((await run('return 1;')).json).toBe(1);
  });
});
