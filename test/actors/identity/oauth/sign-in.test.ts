import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createUser } from '#actors/identity/create-user.ts';
import { findLogin, findUser } from '#actors/identity/store.ts';
import { verifyToken } from '#actors/kit/token/verify.ts';
import { codeOf, enrol } from '../mfa/kit.ts';
import type { World } from '#test/kit/identity-call.ts';
import { REDIRECT_URI, startOpenIdProvider, type OpenIdProvider } from '#test/kit/openid-provider.ts';
import { callback, corpWorld, signIn, start } from './kit.ts';

const ADA = { email: 'Ada@example.org', email_verified: true, given_name: 'Ada', family_name: 'Lovelace' };

let corp: OpenIdProvider;
beforeAll(async () => void (corp = await startOpenIdProvider()));
beforeEach(() => {
  corp.accounts.clear();
  corp.accounts.set('ada', ADA);
  corp.interfere = null;
  corp.seen.length = 0;
});
afterAll(() => corp.stop());

const userOf = (world: World, login: string) => {
  const turn = world.store.begin();
  return findUser(turn, findLogin(turn, login) ?? '');
};
const said = ({ status, code }: { status: number; code: string | undefined }) => [status, code];

describe('start', () => {
  test('gives an authorization URL with state, nonce and a PKCE challenge', async () => {
    const url = await start(corpWorld(corp));
    expect(url.origin).toBe(corp.issuer);
    const query = Object.fromEntries(url.searchParams);
    expect(query).toMatchObject({
      client_id: 'atlas',
      response_type: 'code',
      redirect_uri: REDIRECT_URI,
      scope: 'openid email profile',
      code_challenge_method: 'S256',
    });
    for (const key of ['state', 'nonce', 'code_challenge']) expect(query[key]).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(new Set([query['state'], query['nonce'], query['code_challenge']]).size).toBe(3);
  });

  test('asks the provider for its metadata once, also when two start at a time, and again after an hour', async () => {
    const world = corpWorld(corp);
    const metadata = () => corp.seen.filter((path) => path === '/.well-known/openid-configuration').length;
    await Promise.all([start(world), start(world)]);
    await start(world);
    expect(metadata()).toBe(1);
    world.clock.advance(60 * 60_000);
    await start(world);
    expect(metadata()).toBe(2);
  });
});

describe('the first sign-in', () => {
  test('makes the user and gives tokens', async () => {
    const world = corpWorld(corp);
    const answer = await signIn(world, corp, 'ada');
    expect(answer.status).toBe(200);
    expect(answer.headers['Cache-Control']).toBe('no-store');
    const user = userOf(world, 'ada@example.org')!;
    expect(user).toMatchObject({ email: ADA.email, firstname: 'Ada', lastname: 'Lovelace', roles: ['tenant_user'] });
    expect(user.password_hash).toBe('');
    for (const password of ['', 'x']) {
      const login = await world.ask('login', { body: { login: user.email, password } });
      expect(login.status).toBe(password === '' ? 400 : 401);
    }
    expect(Object.keys(answer.body)).toEqual(['access_token', 'token_type', 'expires_in', 'refresh_token']);
    const token = verifyToken(answer.body['access_token'] as string, world.ring, world.clock.now())!;
    expect(token.claims).toMatchObject({ type: 'user', sub: user.id, roles: ['tenant_user'] });
    expect(answer.body).toMatchObject({ token_type: 'Bearer', expires_in: 900 });
    expect(answer.body['refresh_token']).toBeTypeOf('string');
  });

  test('takes the address from the userinfo endpoint when the ID token has none', async () => {
    const shy = await startOpenIdProvider(false);
    shy.accounts.set('ada', ADA);
    const world = corpWorld(shy);
    expect((await signIn(world, shy, 'ada')).status).toBe(200);
    expect(shy.seen).toContain('/me');
    expect(userOf(world, ADA.email)).toBeDefined();
    await shy.stop();
  });

  test.each([
    { email: 'ada@example.org', email_verified: false },
    { email: 'ada@example.org' },
    { email: 'no address', email_verified: true },
    {},
  ])('needs a verified address: %j', async (account) => {
    corp.accounts.set('ada', account);
    const world = corpWorld(corp, { link: 'email_verified' });
    expect(said(await signIn(world, corp, 'ada'))).toEqual([401, 'oauth_failed']);
    expect(userOf(world, 'ada@example.org')).toBeUndefined();
  });

  test('is written before its promise settles: a callback that runs next sees the user', async () => {
    const world = corpWorld(corp);
    const query = await corp.signIn((await start(world)).href, 'ada');
    const call = world.call('finishOauth', { id: 'corp', query: query.toString() });
    expect(await world.service.handlers['finishOauth']!(call)).toMatchObject({ status: 200 });
    call.abort();
    expect(userOf(world, ADA.email)).toBeDefined();
  });

  test('two windows at a time make one user', async () => {
    const world = corpWorld(corp);
    const queries = await Promise.all([0, 1].map(async () => corp.signIn((await start(world)).href, 'ada')));
    const answers = await Promise.all(queries.map((query) => callback(world, query)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const subjects = answers.map(
      ({ body }) => verifyToken(body['access_token'] as string, world.ring, world.clock.now())!.claims['sub'],
    );
    expect(subjects[0]).toBe(subjects[1]);
  });
});

describe('later sign-ins', () => {
  test('find the user by the provider’s subject, whatever became of the address', async () => {
    const world = corpWorld(corp);
    await signIn(world, corp, 'ada');
    corp.accounts.set('ada', { email: 'countess@example.org', email_verified: false });
    const answer = await signIn(world, corp, 'ada');
    const { sub } = verifyToken(answer.body['access_token'] as string, world.ring, world.clock.now())!.claims;
    expect(sub).toBe(userOf(world, ADA.email)!.id);
    expect(userOf(world, 'countess@example.org')).toBeUndefined();
  });

  const present = (world: World): string => {
    const turn = world.store.begin();
    const id = createUser(turn, world.context, { email: 'ada@example.org', passwordHash: 'x', roles: ['editor'] })!;
    turn.commit();
    return id;
  };

  test('by verified address where the product links: the user keeps the same roles', async () => {
    const world = corpWorld(corp, { link: 'email_verified' });
    const id = present(world);
    const answer = await signIn(world, corp, 'ada');
    const { sub, roles } = verifyToken(answer.body['access_token'] as string, world.ring, world.clock.now())!.claims;
    expect([sub, roles]).toEqual([id, ['editor']]);
  });

  test('and nowhere else: an address that is taken is no proof', async () => {
    const world = corpWorld(corp);
    present(world);
    expect(said(await signIn(world, corp, 'ada'))).toEqual([409, 'login_taken']);
  });
});

describe('a user with TOTP', () => {
  test('is asked for a code, under a state that spares a second visit to the provider', async () => {
    const world = corpWorld(corp);
    await signIn(world, corp, 'ada');
    const { secret } = await enrol(world, world.bearer([], { sub: userOf(world, ADA.email)!.id }));
    const asked = await signIn(world, corp, 'ada');
    expect(said(asked)).toEqual([401, 'mfa_required']);
    expect(asked.body['access_token']).toBeUndefined();
    const { state } = asked.body['details'] as { state: string };
    const answer = (otp: string) => callback(world, `state=${state}&otp=${otp}`);
    expect(said(await callback(world, `state=${state}`))).toEqual([401, 'mfa_required']);
    expect(said(await answer('000000'))).toEqual([401, 'invalid_credentials']);
    const tokens = await answer(codeOf(world, secret));
    expect(tokens.status).toBe(200);
    world.clock.advance(30_000);
    expect(said(await answer(codeOf(world, secret)))).toEqual([400, 'invalid_state']);
  });

  test('has ten minutes for it', async () => {
    const world = corpWorld(corp);
    await signIn(world, corp, 'ada');
    const { secret } = await enrol(world, world.bearer([], { sub: userOf(world, ADA.email)!.id }));
    const { state } = (await signIn(world, corp, 'ada')).body['details'] as { state: string };
    world.clock.advance(10 * 60_000);
    expect(said(await callback(world, `state=${state}&otp=${codeOf(world, secret)}`))).toEqual([400, 'invalid_state']);
  });
});

test('in a managed tenant a sign-in opens a session, and meets the limit of them', async () => {
  const world = corpWorld(corp, { settings: { sessions: { mode: 'managed', max: 1, on_limit: 'reject' } } });
  const answer = await signIn(world, corp, 'ada');
  const { sid } = verifyToken(answer.body['access_token'] as string, world.ring, world.clock.now())!.claims;
  expect([answer.status, answer.body['session_id']]).toEqual([200, sid]);
  expect(said(await signIn(world, corp, 'ada'))).toEqual([409, 'session_limit']);
});
