import { describe, expect, test } from 'vitest';
import { routes } from '#actors/identity/routes.ts';
import { FullStore, World } from '#test/kit/identity-call.ts';
import { UserWorld } from '#test/kit/users.ts';

const SCOPE = ['acme:dev:atlas:main'];
const told = (world: World) =>
  world.events.map(({ action, outcome }) => (outcome === '' ? action : `${action} ${outcome}`));

describe('the auth event bus', () => {
  test('an exchange tells key id, audience and the exact scope', async () => {
    const world = new World();
    const authorization = world.key({ scope: SCOPE });
    await world.ask('exchangeKey', { authorization, query: 'audience=data' });
    expect(told(world)).toEqual([
      'auth.token_exchange.before',
      'auth.apikey.exchanged ok',
      'auth.token_exchange.after ok',
    ]);
    const keyId = authorization.slice('ApiKey '.length).split('.')[0]!;
    expect(world.events[1]).toEqual({
      action: 'auth.apikey.exchanged',
      ts: new Date(world.clock.now()).toISOString(),
      tenant: 'acme:atlas:dev:main',
      actor: keyId,
      target: keyId,
      outcome: 'ok',
      request_id: 'req-1',
      data: { audience: 'data', scope: SCOPE },
    });
  });

  test.each([
    [(world: World) => world.key(), 'not_a_service_key'],
    [() => `ApiKey 01ARZ3NDEKTSV4RRFFQ69G5FAV.${'A'.repeat(43)}`, 'invalid_api_key'],
    [(world: World) => world.bearer(), 'apikey_required'],
  ])('a failed exchange is recorded too', async (authorization, code) => {
    const world = new World();
    expect((await world.ask('exchangeKey', { authorization: authorization(world) })).code).toBe(code);
    expect(told(world)).toEqual([
      'auth.token_exchange.before',
      `auth.apikey.exchange_failed ${code}`,
      `auth.token_exchange.after ${code}`,
    ]);
  });

  test('issue and revoke tell before, what happened, and after', async () => {
    const world = new World();
    const { body } = await world.ask('issueKey', { authorization: world.bearer() });
    await world.ask('revokeKey', { authorization: world.bearer(), id: body['id'] as string });
    expect(told(world)).toEqual([
      'auth.apikey_issue.before',
      'auth.apikey.issued ok',
      'auth.apikey_issue.after ok',
      'auth.apikey_revoke.before',
      'auth.apikey.revoked ok',
      'auth.apikey_revoke.after ok',
    ]);
    expect(world.events[1]?.target).toBe(body['id']);
  });

  test('nothing is reported as issued that was not written', async () => {
    const store = new FullStore();
    const world = new World({ store });
    store.full = 'disk';
    expect((await world.ask('issueKey', { authorization: world.bearer() })).code).toBe('persist_failed');
    expect(told(world)).toEqual(['auth.apikey_issue.before', 'auth.apikey_issue.after fault']);
  });

  test('no event holds a secret or a token', async () => {
    const world = new World();
    const authorization = world.key({ scope: SCOPE });
    const { body } = await world.ask('exchangeKey', { authorization });
    await world.ask('exchangeKey', { authorization: `${authorization}x` });
    const text = JSON.stringify(world.events);
    expect(text).not.toContain(authorization.split('.')[1]);
    expect(text).not.toContain(body['token']);
  });

  test('a logger that throws costs the event, not the call', async () => {
    const world = new World({
      logEvent: () => {
        throw new Error('no disk');
      },
    });
    expect((await world.ask('issueKey', { authorization: world.bearer() })).status).toBe(201);
  });

  test('every flow tells before and after, with the code of its answer', async () => {
    const silent: string[] = [];
    for (const name of Object.keys(routes) as (keyof typeof routes)[]) {
      const world = new World({ askNode: () => Promise.resolve({ ok: false, why: 'unknown', message: 'no' }) });
      const { status, code } = await world.ask(name, { authorization: world.bearer(['superadmin']), body: {} });
      const [first, last] = [told(world)[0], told(world).at(-1)];
      if (first === undefined) silent.push(name);
      else
        expect([first, last]).toEqual([
          expect.stringMatching(/before$/),
          `${flowOf(first)}.after ${status < 400 ? 'ok' : (code ?? 'unknown_provider')}`,
        ]);
    }
    // Public keys, what a position has and a look at the own account are no flow, nor is the beginning of a proof, nor is a look at a token; an exchange without a key tells of itself, in the test above.
    expect(silent).toEqual(['jwks', 'introspect', 'discover', 'captchaChallenge', 'showMe', 'beginProof']);
  });

  test('a session’s end is an event, whatever ended it, once it is durable', async () => {
    const store = new FullStore();
    const world = new UserWorld({ store, settings: { sessions: { mode: 'managed', max: 1 } } });
    await world.addUser();
    const ends = () =>
      world.events.filter(({ action }) => action === 'auth.session.ended').map(({ data }) => data['reason']);
    await world.login();
    const { body } = await world.login();
    expect(ends()).toEqual(['concurrent_evict']);
    store.full = 'disk';
    const logout = { body: { refresh_token: body['refresh_token'] } };
    expect((await world.ask('logout', logout)).code).toBe('persist_failed');
    expect(ends()).toEqual(['concurrent_evict']);
    store.full = null;
    expect((await world.ask('logout', logout)).status).toBe(200);
    expect(ends()).toEqual(['concurrent_evict', 'logout']);
  });
});

const flowOf = (before: string): string => before.slice(0, -'.before'.length);
