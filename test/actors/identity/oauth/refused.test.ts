import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { oauthRefusals } from '#actors/identity/oauth/refusals.ts';
import { linkRoutes } from '#actors/identity/oauth/link-routes.ts';
import { oauthRoutes } from '#actors/identity/oauth/routes.ts';
import { findLogin } from '#actors/identity/store.ts';
import { INACTIVE_TENANT, MALFORMED_POSITION, NO_POSITION, UNKNOWN_POSITION } from '#actors/protocol/frame.ts';
import { secretSha256 } from '#actors/kit/secret.ts';
import { limits } from '#config/limits.ts';
import { MemoryStore } from '#test/storage/memory.ts';
import { FullStore, World, type Answer } from '#test/kit/identity-call.ts';
import { startOpenIdProvider, type OpenIdProvider } from '#test/kit/openid-provider.ts';
import { callback, corpWorld, signIn, start } from './kit.ts';

let corp: OpenIdProvider;
beforeAll(async () => {
  corp = await startOpenIdProvider();
  corp.accounts.set('ada', { email: 'ada@example.org', email_verified: true });
});
beforeEach(() => void (corp.interfere = null));
afterAll(() => corp.stop());

const said = ({ status, code }: Answer) => [status, code];
const INVALID_STATE = [400, 'invalid_state'];
const FAILED = [401, 'oauth_failed'];

/** What the page brings back after `change` was made to the authorization URL. */
async function returned(world: World, change: (url: URL) => void = () => undefined): Promise<URLSearchParams> {
  const url = await start(world);
  change(url);
  return corp.signIn(url.href, 'ada');
}

describe('the state', () => {
  test('is needed, and must be one that was given out', async () => {
    const world = corpWorld(corp);
    const query = await returned(world);
    for (const state of ['', 'x', 'A'.repeat(43), `${query.get('state')}A`, 'x'.repeat(4000)]) {
      const wrong = new URLSearchParams(query);
      wrong.set('state', state);
      expect(said(await callback(world, wrong))).toEqual(INVALID_STATE);
    }
    query.delete('state');
    expect(said(await callback(world, query))).toEqual(INVALID_STATE);
  });

  test('is compared whole: another one whose digest names the same slot does not count', async () => {
    const world = corpWorld(corp);
    const query = await returned(world);
    const slot = (state: string): number => secretSha256(state).readUInt16BE() % limits.oauth.stateSlots;
    let other = 0;
    while (slot(String(other)) !== slot(query.get('state')!)) other++;
    const wrong = new URLSearchParams(query);
    wrong.set('state', String(other));
    expect(said(await callback(world, wrong))).toEqual(INVALID_STATE);
    expect((await callback(world, query)).status).toBe(200);
  });

  test('counts once: a replay, also a parallel one, meets nothing', async () => {
    const world = corpWorld(corp);
    const query = await returned(world);
    const answers = await Promise.all([callback(world, query), callback(world, query), callback(world, query)]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400, 400]);
    expect(said(await callback(world, query))).toEqual(INVALID_STATE);
  });

  test('is spent by a sign-in that failed', async () => {
    const world = corpWorld(corp);
    const query = await returned(world);
    const wrong = new URLSearchParams(query);
    wrong.set('code', 'x');
    expect(said(await callback(world, wrong))).toEqual(FAILED);
    expect(said(await callback(world, query))).toEqual(INVALID_STATE);
  });

  test('of another position does not count, not even in a copy of its store', async () => {
    const here = corpWorld(corp);
    const query = await returned(here);
    expect(said(await callback(corpWorld(corp, { world: { position: 'acme:atlas:dev:other' } }), query))).toEqual(
      INVALID_STATE,
    );
    const store = here.store;
    const copy = corpWorld(corp, { world: { position: 'acme:atlas:dev:other', store } });
    expect(said(await callback(copy, query))).toEqual(INVALID_STATE);
    expect((await callback(here, query)).status).toBe(200);
  });

  test('of another provider does not count', async () => {
    const world = corpWorld(corp);
    const query = await returned(world);
    expect(said(await callback(world, query, 'twin'))).toEqual(INVALID_STATE);
    expect((await callback(world, query)).status).toBe(200);
  });

  test.each([
    [10 * 60_000 - 1, [200, undefined]],
    [10 * 60_000, INVALID_STATE],
  ])('lives ten minutes: after %i ms', async (ms, expected) => {
    const world = corpWorld(corp);
    const query = await returned(world);
    world.clock.advance(ms);
    expect(said(await callback(world, query))).toEqual(expected);
  });

  test('is not stored, nor is anything that it could be made of', async () => {
    const store = new MemoryStore();
    const world = corpWorld(corp, { world: { store } });
    const state = (await start(world)).searchParams.get('state')!;
    const stored = [...store.begin().range('', '\xff')]
      .map(({ value }) => Buffer.from(value).toString('latin1'))
      .join();
    expect(stored.length).toBeGreaterThan(0);
    expect(stored).not.toContain(state);
  });

  test('a flood of starts ends in 503, and the table stays bounded', async () => {
    const world = corpWorld(corp);
    world.random = (bytes) => Buffer.alloc(bytes, 1);
    expect((await world.ask('startOauth', { id: 'corp' })).status).toBe(200);
    const answer = await world.ask('startOauth', { id: 'corp' });
    expect([answer.status, answer.code, answer.headers['Retry-After']]).toEqual([503, 'engine_unavailable', '600']);
    world.clock.advance(10 * 60_000);
    expect((await world.ask('startOauth', { id: 'corp' })).status).toBe(200);
  });
});

describe('what the provider says', () => {
  test('a nonce of another sign-in is refused', async () => {
    const world = corpWorld(corp);
    const query = await returned(world, (url) => url.searchParams.set('nonce', 'of somebody else'));
    const answer = await callback(world, query);
    expect(said(answer)).toEqual(FAILED);
    expect(answer.headers['WWW-Authenticate']).toBe('Bearer, ApiKey');
  });

  test('the provider verifies PKCE: a challenge that is not ours ends in a refusal', async () => {
    const world = corpWorld(corp);
    const query = await returned(world, (url) => url.searchParams.set('code_challenge', 'A'.repeat(43)));
    expect(said(await callback(world, query))).toEqual(FAILED);
  });

  test('a code of another sign-in is refused: it was made for another challenge', async () => {
    const world = corpWorld(corp);
    const mine = await returned(world);
    const stolen = await returned(corpWorld(corp));
    mine.set('code', stolen.get('code')!);
    expect(said(await callback(world, mine))).toEqual(FAILED);
  });

  test('a code is spent: the provider refuses it under a fresh state', async () => {
    const world = corpWorld(corp);
    const query = await returned(world);
    expect((await callback(world, query)).status).toBe(200);
    const fresh = await returned(world);
    fresh.set('code', query.get('code')!);
    expect(said(await callback(world, fresh))).toEqual(FAILED);
  });

  test('an answer in another issuer’s name is refused; one without the name is not (the contract has code and state)', async () => {
    const world = corpWorld(corp);
    const query = await returned(world);
    query.set('iss', 'https://evil.example');
    expect(said(await callback(world, query))).toEqual(FAILED);
    const plain = await returned(world);
    plain.delete('iss');
    expect((await callback(world, plain)).status).toBe(200);
  });

  test('a user who declines has not signed in', async () => {
    const world = corpWorld(corp);
    const query = await corp.signIn((await start(world)).href, 'denying');
    expect(query.get('error')).toBe('access_denied');
    expect(said(await callback(world, query))).toEqual(FAILED);
    expect(said(await callback(world, query))).toEqual(INVALID_STATE);
  });

  test('neither code nor error is a bad request, and the state stays', async () => {
    const world = corpWorld(corp);
    const query = await returned(world);
    expect(said(await callback(world, `state=${query.get('state')}`))).toEqual([400, 'bad_request']);
    expect((await callback(world, query)).status).toBe(200);
  });

  test('a token signed by another key is refused', async () => {
    const world = corpWorld(corp);
    const query = await returned(world);
    const other = await startOpenIdProvider();
    corp.interfere = (request, response) => {
      if (request.url !== '/jwks') return false;
      void fetch(`${other.issuer}/jwks`).then(async (keys) => {
        response.setHeader('content-type', 'application/json').end(await keys.text());
      });
      return true;
    };
    expect(said(await callback(world, query))).toEqual(FAILED);
    await other.stop();
  });
});

describe('a provider that fails', () => {
  const at = (path: string, status: number, body = '') => {
    corp.interfere = (request, response) => {
      if (!request.url!.startsWith(path)) return false;
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
      return true;
    };
  };

  test('that is down is 502, at start and at callback; it is asked again when it is back', async () => {
    const gone = await startOpenIdProvider();
    gone.accounts.set('ada', { email: 'ada@example.org', email_verified: true });
    const world = corpWorld(gone);
    const query = await gone.signIn((await start(world)).href, 'ada');
    await gone.stop();
    expect(said(await callback(world, query))).toEqual([502, 'oauth_unavailable']);
    expect(said(await corpWorld(gone).ask('startOauth', { id: 'corp' }))).toEqual([502, 'oauth_unavailable']);

    const back = corpWorld(corp);
    at('/.well-known', 503);
    expect(said(await back.ask('startOauth', { id: 'corp' }))).toEqual([502, 'oauth_unavailable']);
    corp.interfere = null;
    expect((await back.ask('startOauth', { id: 'corp' })).status).toBe(200);
  });

  test('that hangs is 504', async () => {
    const world = corpWorld(corp);
    const query = await returned(world);
    const hasty = corpWorld(corp, { outbound: { deadlineMs: 50 } });
    corp.interfere = () => true;
    expect(said(await hasty.ask('startOauth', { id: 'corp' }))).toEqual([504, 'oauth_unavailable']);
    corp.interfere = null;
    expect((await callback(world, query)).status).toBe(200);
  });

  test.each<[string, string, number, string]>([
    ['breaks', '/token', 500, ''],
    ['speaks no JSON', '/token', 200, '<html>'],
    ['does not know us', '/token', 401, '{"error":"invalid_client"}'],
    ['answers too much', '/token', 200, `"${'x'.repeat(600 * 1024)}"`],
    ['has no keys', '/jwks', 500, ''],
  ])('that %s is 502', async (_name, path, status, body) => {
    const world = corpWorld(corp);
    const query = await returned(world);
    at(path, status, body);
    expect(said(await callback(world, query))).toEqual([502, 'oauth_unavailable']);
  });

  test('that names another issuer, or endpoints elsewhere, is not followed', async () => {
    at('/.well-known', 200, JSON.stringify({ issuer: 'https://evil.example' }));
    expect(said(await corpWorld(corp).ask('startOauth', { id: 'corp' }))).toEqual([502, 'oauth_unavailable']);
    const elsewhere = await startOpenIdProvider();
    const metadata = (await (await fetch(`${elsewhere.issuer}/.well-known/openid-configuration`)).json()) as object;
    const { issuer, authorization_endpoint: endpoint } = {
      issuer: corp.issuer,
      authorization_endpoint: `${corp.issuer}/auth`,
    };
    at('/.well-known', 200, JSON.stringify({ ...metadata, issuer, authorization_endpoint: endpoint }));
    elsewhere.seen.length = 0;
    const world = corpWorld(corp, { outbound: { allowPrivate: [corp.host, elsewhere.host] } });
    const query = await returned(world);
    expect(said(await callback(world, query))).toEqual([502, 'oauth_unavailable']);
    expect(elsewhere.seen).toEqual([]);
    await elsewhere.stop();
  });

  test('on a private address is not reached unless the platform names it', async () => {
    corp.seen.length = 0;
    const world = corpWorld(corp, { outbound: { allowPrivate: [] } });
    expect(said(await world.ask('startOauth', { id: 'corp' }))).toEqual([502, 'oauth_unavailable']);
    expect(corp.seen).toEqual([]);
  });

  test('with too many asking at a time is 503', async () => {
    const world = corpWorld(corp, { outbound: { inFlightMax: 0 } });
    const answer = await world.ask('startOauth', { id: 'corp' });
    expect([answer.status, answer.code, answer.headers['Retry-After']]).toEqual([503, 'engine_unavailable', '1']);
  });
});

describe('before the provider is asked', () => {
  test.each([
    [NO_POSITION, [400, 'no_tenant']],
    [MALFORMED_POSITION, [400, 'invalid tenant']],
    [UNKNOWN_POSITION, [400, 'invalid tenant']],
    [INACTIVE_TENANT, [403, 'tenant_inactive']],
  ])('the place %i', async (tenantNo, expected) => {
    const world = corpWorld(corp);
    for (const name of ['startOauth', 'finishOauth'] as const)
      expect(said(await world.ask(name, { id: 'corp', tenantNo }))).toEqual(expected);
  });

  test.each(['other', '', 'constructor', '__proto__', 'Corp'])('the provider %j is a bare 404', async (id) => {
    for (const world of [corpWorld(corp), new World()])
      for (const name of ['startOauth', 'finishOauth'] as const) {
        const answer = await world.ask(name, { id, query: 'code=a&state=b' });
        expect([answer.status, answer.text]).toEqual([404, '']);
      }
  });

  test('a full store is said so, and makes neither state nor user', async () => {
    const store = new FullStore();
    const world = corpWorld(corp, { world: { store } });
    store.full = 'disk';
    expect(said(await world.ask('startOauth', { id: 'corp' }))).toEqual([500, 'persist_failed']);
    store.full = null;
    const query = await returned(world);
    let commits = 0;
    const begin = store.begin.bind(store);
    store.begin = () => {
      const turn = begin();
      const commit = turn.commit.bind(turn);
      turn.commit = () => {
        if (turn.dirty && ++commits === 2) store.full = 'disk';
        commit();
      };
      return turn;
    };
    expect(said(await callback(world, query))).toEqual([500, 'persist_failed']);
    expect(findLogin(store.begin(), 'ada@example.org')).toBeUndefined();
  });
});

describe('the rows', () => {
  test('are guarded like a login, and every refusal of the room is met by one', () => {
    expect(Object.values(oauthRoutes).map(({ path, rate }) => [path, rate])).toEqual([
      ['/auth/oauth/{provider}/start', 'auth_login'],
      ['/auth/oauth/{provider}/callback', 'auth_login'],
    ]);
    const used = new Set<string>(
      [oauthRoutes, linkRoutes].flatMap((rows) =>
        Object.values(rows).flatMap((row): readonly string[] => row.refusals),
      ),
    );
    expect(Object.keys(oauthRefusals).filter((code) => !used.has(code))).toEqual([]);
  });

  test('tell the bus when they begin and how they ended, without a code, a state or a token', async () => {
    const world = corpWorld(corp);
    const answer = await signIn(world, corp, 'ada');
    expect(world.events.map(({ action, outcome }) => `${action} ${outcome}`.trim())).toEqual([
      'auth.oauth_start.before',
      'auth.oauth_start.after ok',
      'auth.oauth_callback.before',
      'auth.oauth_callback.after ok',
    ]);
    expect(JSON.stringify(world.events)).not.toContain(answer.body['refresh_token']);
  });
});
