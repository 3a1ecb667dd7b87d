/** Every row of the contract's Errors tables (docs/contract/identity.md §6) that this slice has, one by one; and identity's order of checks. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Hook } from '#actors/identity/hooks.ts';
import { refusals } from '#actors/identity/refusals.ts';
import { routes } from '#actors/identity/routes.ts';
import { INACTIVE_TENANT, MALFORMED_POSITION, NO_POSITION, UNKNOWN_POSITION } from '#actors/protocol/frame.ts';
import type { RouteRow } from '#actors/protocol/route.ts';
import { CONTROL_PLANE } from '#actors/protocol/position.ts';
import { ringOf } from '#actors/kit/token/ring.ts';
import { FullStore, World, type Answer } from '#test/kit/identity-call.ts';

const ID = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const SCOPE = ['acme:dev:atlas:main'];
const BAD_KEY = `ApiKey ${ID}.${'A'.repeat(43)}`;

const denying = (at: Hook['at']): Hook => ({
  at,
  run: () => {
    throw new Error('not on Sundays');
  },
});

type Row = readonly [
  table: string,
  status: number,
  code: string,
  cause: string,
  how: ((world: World) => Promise<Answer>) | string,
  options?: { hooks?: Hook[]; full?: 'disk' | 'overlay'; position?: string; bootstrapToken?: string },
];

const issue = (ask: Parameters<World['ask']>[1]) => async (world: World) => world.ask('issueKey', ask);

const ROWS: readonly Row[] = [
  ['issue', 401, 'auth_required', 'no principal', issue({})],
  ['issue', 401, 'auth_required', 'another scheme', issue({ authorization: 'Basic YTpi' })],
  [
    'issue',
    400,
    'bad_request',
    'body not valid JSON',
    (w) => w.ask('issueKey', { authorization: w.bearer(), body: '{' }),
  ],
  ['issue', 400, 'no_tenant', 'headers missing', (w) => w.ask('issueKey', { authorization: w.bearer(), tenantNo: 0 })],
  [
    'issue',
    403,
    'scope_exceeds_authority',
    'grant exceeds authority',
    (w) => w.ask('issueKey', { authorization: w.bearer(), body: { capabilities: { scope: SCOPE } } }),
  ],
  [
    'issue',
    403,
    'hook_denied',
    'before_apikey_issue aborted',
    (w) => w.ask('issueKey', { authorization: w.bearer() }),
    { hooks: [denying('before_apikey_issue')] },
  ],
  [
    'issue',
    500,
    'engine_unavailable',
    'tenant datastore not resolved',
    (w) => w.ask('issueKey', { authorization: w.bearer(), tenantNo: INACTIVE_TENANT }),
  ],
  [
    'issue',
    500,
    'generate_failed',
    'key generation failed',
    (w) => {
      w.random = () => {
        throw new Error('no entropy');
      };
      return w.ask('issueKey', { authorization: w.bearer() });
    },
  ],
  [
    'issue',
    500,
    'persist_failed',
    'row not written',
    (w) => w.ask('issueKey', { authorization: w.bearer() }),
    { full: 'disk' },
  ],
  [
    'issue',
    503,
    'engine_unavailable',
    'overlay full: ours, a retry makes sense',
    (w) => w.ask('issueKey', { authorization: w.bearer() }),
    { full: 'overlay' },
  ],
  ['revoke', 401, 'auth_required', 'no principal', (w) => w.ask('revokeKey', { id: ID })],
  ['revoke', 400, 'missing_id', 'no id in path', (w) => w.ask('revokeNothing', { authorization: w.bearer() })],
  ['revoke', 400, 'missing_id', 'empty id', (w) => w.ask('revokeKey', { authorization: w.bearer(), id: '' })],
  [
    'revoke',
    400,
    'no_tenant',
    'headers missing',
    (w) => w.ask('revokeKey', { authorization: w.bearer(), id: ID, tenantNo: 0 }),
  ],
  [
    'revoke',
    403,
    'hook_denied',
    'before_apikey_revoke aborted',
    (w) => w.ask('revokeKey', { authorization: w.bearer(), id: ID }),
    { hooks: [denying('before_apikey_revoke')] },
  ],
  [
    'revoke',
    500,
    'engine_unavailable',
    'datastore not resolved',
    (w) => w.ask('revokeKey', { authorization: w.bearer(), id: ID, tenantNo: INACTIVE_TENANT }),
  ],
  ['present', 401, 'invalid_api_key', 'unknown row', issue({ authorization: BAD_KEY })],
  ['present', 401, 'no_tenant', 'headers missing', issue({ authorization: BAD_KEY, tenantNo: NO_POSITION })],
  [
    'present',
    500,
    'engine_unavailable',
    'datastore not resolved',
    issue({ authorization: BAD_KEY, tenantNo: INACTIVE_TENANT }),
  ],
  ['exchange', 401, 'apikey_required', 'no credential', (w) => w.ask('exchangeKey', {})],
  ['exchange', 401, 'apikey_required', 'a Bearer token', (w) => w.ask('exchangeKey', { authorization: w.bearer() })],
  ['exchange', 401, 'apikey_required', 'a bad Bearer', (w) => w.ask('exchangeKey', { authorization: 'Bearer x' })],
  [
    'exchange',
    400,
    'no_tenant',
    'headers missing',
    'never reached: a key without a position is 401 no_tenant, anything else 401 apikey_required',
  ],
  ['exchange', 403, 'not_a_service_key', 'key has no scope', (w) => w.ask('exchangeKey', { authorization: w.key() })],
  [
    'exchange',
    500,
    'engine_unavailable',
    'datastore not resolved',
    (w) => w.ask('exchangeKey', { authorization: BAD_KEY, tenantNo: INACTIVE_TENANT }),
  ],
  [
    'exchange',
    500,
    'mint_failed',
    'nothing can sign',
    (w) => {
      w.ring = ringOf([]);
      return w.ask('exchangeKey', { authorization: w.key({ scope: SCOPE }) });
    },
  ],
  [
    'exchange',
    401,
    'apikey_invalid',
    'unknown key',
    'never reached: pre-empted by 401 invalid_api_key, its equivalent',
  ],
  ['operational', 400, 'invalid tenant', 'unknown', issue({ authorization: BAD_KEY, tenantNo: UNKNOWN_POSITION })],
  ['operational', 400, 'invalid tenant', 'malformed', issue({ authorization: BAD_KEY, tenantNo: MALFORMED_POSITION })],
  [
    'operational',
    400,
    'invalid tenant',
    'with a bearer',
    (w) => w.ask('issueKey', { authorization: w.bearer(), tenantNo: UNKNOWN_POSITION }),
  ],
  ['decisions', 401, 'invalid_token', 'invalid bearer', issue({ authorization: 'Bearer v4.public.x' })],
  [
    'decisions',
    401,
    'invalid_token',
    'expired bearer',
    (w) => w.ask('issueKey', { authorization: w.bearer([], { exp: '2020-01-01T00:00:00Z' }) }),
  ],
  [
    'decisions',
    401,
    'invalid_token',
    'bearer of another position',
    (w) => w.ask('issueKey', { authorization: w.bearer([], { tenant: 'acme:atlas:dev:other' }) }),
  ],
  [
    'decisions',
    401,
    'bootstrap_denied',
    'wrong token',
    (w) => w.ask('bootstrap', { body: { token: 'x' } }),
    { position: CONTROL_PLANE, bootstrapToken: 'right' },
  ],
  ['decisions', 410, 'bootstrap_closed', 'no token', (w) => w.ask('bootstrap', {}), { position: CONTROL_PLANE }],
];

describe('the Errors tables', () => {
  for (const [table, status, code, cause, how, { full, ...options } = {}] of ROWS) {
    const name = `${table}: ${status} ${code}: ${cause}`;
    if (typeof how === 'string') {
      test(`${name} (${how})`, () => {
        const reachable = Object.values<{ refusals: readonly string[] }>(routes).some((row) =>
          row.refusals.includes(code),
        );
        expect(code === 'no_tenant' ? reachable : !reachable).toBe(true);
      });
      continue;
    }
    test(name, async () => {
      const store = new FullStore();
      const world = new World({ ...options, store });
      store.full = full ?? null;
      const answer = await how(world);
      expect([answer.status, answer.code]).toEqual([status, code]);
      expect(typeof answer.body['error']).toBe('string');
      if (status === 401) expect(answer.headers['WWW-Authenticate']).toBe('Bearer, ApiKey');
      if (status === 503) expect(answer.headers['Retry-After']).toBe('1');
      if (code === 'hook_denied') expect(answer.body['error']).toBe('not on Sundays');
    });
  }
});

describe('the order of checks', () => {
  const places = [NO_POSITION, MALFORMED_POSITION, UNKNOWN_POSITION, INACTIVE_TENANT];

  test.each(places)('no credential comes first, at place %i and with any body', async (tenantNo) => {
    const world = new World();
    for (const name of ['issueKey', 'revokeKey', 'revokeNothing'] as const)
      expect((await world.ask(name, { tenantNo, body: '{' })).code).toBe('auth_required');
    expect((await world.ask('exchangeKey', { tenantNo })).code).toBe('apikey_required');
  });

  test.each(places)('an invalid bearer comes before the place %i', async (tenantNo) => {
    expect((await new World().ask('issueKey', { tenantNo, authorization: 'Bearer x', body: '{' })).code).toBe(
      'invalid_token',
    );
  });

  test('a bearer without a position meets a bad body before the missing tenant', async () => {
    const world = new World();
    const ask = { authorization: world.bearer(), tenantNo: NO_POSITION };
    expect((await world.ask('issueKey', { ...ask, body: '{' })).code).toBe('bad_request');
    expect((await world.ask('issueKey', { ...ask, body: {} })).code).toBe('no_tenant');
    expect((await world.ask('revokeNothing', ask)).code).toBe('missing_id');
  });

  test('a key without a position is 401 whatever the body', async () => {
    const answer = await new World().ask('issueKey', { authorization: BAD_KEY, tenantNo: NO_POSITION, body: '{' });
    expect([answer.status, answer.code]).toEqual([401, 'no_tenant']);
  });

  test('authority is judged before hooks run', async () => {
    const world = new World({ hooks: [denying('before_apikey_issue')] });
    const body = { capabilities: { roles: ['x'] } };
    expect((await world.ask('issueKey', { authorization: world.bearer(), body })).code).toBe('scope_exceeds_authority');
  });

  test('a hook sees what is to be done, and one for another pointcut does not run', async () => {
    const seen: unknown[] = [];
    const hook: Hook = { at: 'before_apikey_issue', run: (join) => void seen.push(join) };
    const world = new World({ hooks: [hook, denying('before_apikey_revoke')] });
    expect((await world.ask('issueKey', { authorization: world.bearer(), body: { service: 'ci' } })).status).toBe(201);
    expect(seen).toMatchObject([{ tenant: 'acme:atlas:dev:main', service: 'ci', capabilities: {} }]);
  });
});

describe('refusals and routes', () => {
  test('every refusal is met by some route, and what the service answers when it is unavailable is declared', () => {
    const used = new Set<string>(Object.values(routes).flatMap((row) => row.refusals));
    expect([...used].sort()).toEqual(Object.keys(refusals).sort());
    const world = new World();
    for (const name of Object.keys(routes) as (keyof typeof routes)[]) {
      for (const why of ['overloaded', 'storage_full', 'fault'] as const)
        expect(routes[name].refusals).toContain(world.service.unavailable(world.call(name), why).code);
    }
  });

  test('every shape can be written as JSON Schema; a lifetime is an integer', () => {
    for (const row of Object.values<RouteRow>(routes))
      for (const shape of [row.request, ...Object.values(row.replies)])
        if (shape) {
          const { anyOf, ...written } = z.toJSONSchema(shape, { io: 'input' });
          // A text of another media type is no JSON: it is a string.
          for (const one of anyOf ?? [written])
            expect(one).toMatchObject({ type: 'media' in one ? 'string' : 'object' });
        }
    expect(JSON.stringify(z.toJSONSchema(routes.issueKey.request, { io: 'input' }))).toContain(
      '"expires_in_days":{"type":["integer","null"]}',
    );
  });
});
