/** `POST /auth/login`. Spec: docs/contract/identity-users.md §1.1, docs/contract/identity.md §4.6, §7.1. */
import { hash } from '@node-rs/argon2';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { TABLES } from '#storage/catalogue.ts';
import { Corruption } from '#storage/fault.ts';
import { u16 } from '#storage/key.ts';
import { limits } from '#config/limits.ts';
import { findUser, putUser } from '#actors/identity/store.ts';
import { verifyToken } from '#actors/kit/token/verify.ts';
import { keysOfIdentity } from '#actors/kit/token-ring.ts';
import * as password from '#actors/kit/password.ts';
import { decoyPasswordHash, verifyPassword } from '#actors/kit/password.ts';
import { Busy } from '#actors/protocol/busy.ts';
import { INACTIVE_TENANT, NO_POSITION, UNKNOWN_POSITION } from '#actors/protocol/frame.ts';
import { ringOf } from '#actors/kit/token/ring.ts';
import { FullStore } from '#test/kit/identity-call.ts';
import { EMAIL, PASSWORD, UserWorld } from '#test/kit/users.ts';

const claimsOf = (world: UserWorld, token: unknown) =>
  verifyToken(token as string, keysOfIdentity({ ring: world.ring }), world.clock.now())!.claims;

describe('POST /auth/login', () => {
  test('gives an access token with the user claims, a refresh token, and nothing to keep for caches', async () => {
    const world = new UserWorld();
    const id = await world.addUser();
    const { status, body, headers } = await world.login({ login: 'ADA@example.org' });
    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'Cache-Control': 'no-store' });
    expect(Object.keys(body)).toEqual(['access_token', 'token_type', 'expires_in', 'refresh_token']);
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 900 });
    const now = new Date(world.clock.now()).toISOString();
    expect(claimsOf(world, body['access_token'])).toEqual({
      iss: 'iam',
      sub: id,
      type: 'user',
      tenant: 'acme:atlas:dev:main',
      roles: ['tenant_user'],
      iat: now,
      nbf: now,
      exp: new Date(world.clock.now() + 900_000).toISOString(),
    });
  });

  test('the product’s expiry and claims travel in the token', async () => {
    const world = new UserWorld({ settings: { token: { expiry: '5m', claims: { plan: 'gold' } } } });
    await world.addUser();
    const { body } = await world.login();
    expect(body['expires_in']).toBe(300);
    expect(claimsOf(world, body['access_token'])).toMatchObject({ plan: 'gold' });
  });

  test('where sessions are managed the token names one, and the answer too', async () => {
    const world = new UserWorld({ settings: { sessions: { mode: 'managed' } } });
    await world.addUser();
    const { body } = await world.login();
    expect(body['session_id']).toMatch(/^[0-9A-Z]{26}$/);
    expect(claimsOf(world, body['access_token'])['sid']).toBe(body['session_id']);
  });

  test('one answer for every cause', async () => {
    const world = new UserWorld();
    const id = await world.addUser();
    await world.addUser('nopassword@example.org');
    const turn = world.store.begin();
    putUser(turn, { ...world.user(id)!, id: 'X', email: 'empty@example.org', password_hash: '' });
    turn.commit();
    const answers = await Promise.all([
      world.login({ password: 'wrong horse' }),
      world.login({ login: 'absent@example.org' }),
      world.login({ login: 'empty@example.org' }),
      world.login({ login: 'x', password: 'y' }),
      world.login({ login: '\u0000' }),
    ]);
    expect(new Set(answers.map(({ text }) => text))).toEqual(
      new Set(['{"error":"login, password or second factor is wrong","code":"invalid_credentials"}']),
    );
    expect(new Set(answers.map(({ status, headers }) => JSON.stringify([status, headers])))).toHaveLength(1);
  });

  test('a user whose record is damaged refuses no login but that user’s', async () => {
    const world = new UserWorld();
    const id = await world.addUser();
    const turn = world.store.begin();
    const key = [...turn.range('', '\xff')].find(({ key: one }) => one.startsWith(u16(TABLES.user.no)))!.key;
    turn.put(key, Buffer.from([1, 0, 0, 0, 0, 0]));
    turn.commit();
    expect(() => findUser(world.store.begin(), id)).toThrow(Corruption);
    const before = await world.login({ login: 'a@example.org' }); // the damaged one is next to it
    expect(before.status).toBe(401);
    await expect(world.login({})).rejects.toThrow(Corruption);
  });

  test('the decoy has the cost of a real hash, and fits no password', async () => {
    const { memoryKib, iterations, lanes } = limits.identity.argon2;
    expect(decoyPasswordHash()).toContain(`$argon2id$v=19$m=${memoryKib},t=${iterations},p=${lanes}$`);
    expect(await verifyPassword(decoyPasswordHash(), PASSWORD)).toBe(false);
    expect(await verifyPassword(decoyPasswordHash(), '')).toBe(false);
  });

  test('a password that changes while it is checked does not let the old one in', async () => {
    const world = new UserWorld();
    const id = await world.addUser();
    const login = world.login();
    const turn = world.store.begin();
    putUser(turn, { ...world.user(id)!, password_hash: decoyPasswordHash() });
    turn.commit();
    expect((await login).code).toBe('invalid_credentials');
  });

  test.each([
    ['', 'JSON'],
    ['[]', 'JSON object'],
    [{ password: PASSWORD }, 'login'],
    [{ login: EMAIL }, 'password'],
    [{ login: 7, password: PASSWORD }, 'login'],
    [{ login: 'x'.repeat(300), password: PASSWORD }, 'login'],
    [{ login: EMAIL, password: 'x'.repeat(2000) }, 'password'],
    [{ login: EMAIL, password: PASSWORD, otp: 123456 }, 'otp'],
  ])('body %j is bad_request', async (body, naming) => {
    const answer = await new UserWorld().ask('login', { body });
    expect([answer.status, answer.code]).toEqual([400, 'bad_request']);
    expect(answer.body['error']).toContain(naming);
  });

  test.each([
    [NO_POSITION, 400, 'no_tenant'],
    [UNKNOWN_POSITION, 400, 'invalid tenant'],
    [INACTIVE_TENANT, 403, 'tenant_inactive'],
  ])('place %d: %d %s, after the body', async (tenantNo, status, code) => {
    const world = new UserWorld();
    const body = { login: EMAIL, password: PASSWORD };
    expect(await world.ask('login', { body, tenantNo })).toMatchObject({ status, code });
    expect((await world.ask('login', { body: '{', tenantNo })).code).toBe('bad_request');
  });

  test('500 issue_failed when the refresh token cannot be written, mint_failed when nothing can sign', async () => {
    const store = new FullStore();
    const world = new UserWorld({ store });
    await world.addUser();
    store.full = 'disk';
    expect(await world.login()).toMatchObject({ status: 500, code: 'issue_failed' });
    store.full = 'overlay';
    expect(await world.login()).toMatchObject({ status: 503, code: 'engine_unavailable' });
    store.full = null;
    world.ring = ringOf([]);
    expect(await world.login()).toMatchObject({ status: 500, code: 'mint_failed' });
  });

  test('a queue of passwords that is full sends callers away for a while', async () => {
    const world = new UserWorld();
    await world.addUser();
    const many = limits.identity.passwordsRunningMax + limits.identity.passwordsWaitingMax + 3;
    const answers = await Promise.all(Array.from({ length: many }, (_, n) => world.login({}, `:bucket:10.0.0.${n}\n`)));
    const busy = answers.filter(({ status }) => status === 503);
    expect(busy).toHaveLength(3);
    expect(busy[0]).toMatchObject({ code: 'engine_unavailable', headers: { 'Retry-After': '1' } });
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(many - 3);
  }, 30_000);

  test('an unknown login waits for its hash in the same queue', async () => {
    const world = new UserWorld();
    const many = limits.identity.passwordsRunningMax + limits.identity.passwordsWaitingMax + 3;
    const absent = { login: 'absent@example.org' };
    const answers = await Promise.all(
      Array.from({ length: many }, (_, n) =>
        world.login({ ...absent, login: `${n}${absent.login}` }, `:bucket:10.0.0.${n}\n`),
      ),
    );
    // Those that found no place were sent away; each of the others has cost a hash, as a known login does.
    expect(answers.filter(({ status }) => status === 503)).toHaveLength(3);
    expect(answers.filter(({ code }) => code === 'invalid_credentials')).toHaveLength(many - 3);
  }, 30_000);

  test('tells before and after, never the password or a token', async () => {
    const world = new UserWorld();
    await world.addUser();
    const { body } = await world.login();
    await world.login({ password: 'wrong horse' });
    expect(world.events.map(({ action, outcome }) => `${action} ${outcome}`)).toEqual([
      'auth.login.before ',
      'auth.login.after ok',
      'auth.login.before ',
      'auth.login.after invalid_credentials',
    ]);
    const text = JSON.stringify(world.events) + world.logged.join();
    for (const secret of [PASSWORD, 'wrong horse', body['access_token'], body['refresh_token']])
      expect(text).not.toContain(secret);
  });
});

describe('a hash of other parameters than those of today', () => {
  const { memoryKib, iterations } = limits.identity.argon2;

  async function withWeakHash() {
    const world = new UserWorld({ settings: { sessions: { mode: 'managed' } } });
    const id = await world.addUser();
    const weak = await hash(PASSWORD, { memoryCost: memoryKib / 2, timeCost: iterations, parallelism: 1 });
    const turn = world.store.begin();
    putUser(turn, { ...world.user(id)!, password_hash: weak });
    turn.commit();
    return { world, id, weak };
  }

  test('is replaced by the login that knows the password, once', async () => {
    const { world, id, weak } = await withWeakHash();
    const hashing = vi.spyOn(password, 'hashPassword');
    onTestFinished(() => hashing.mockRestore());
    expect((await world.login()).status).toBe(200);
    const stronger = world.user(id)!.password_hash;
    expect(stronger).not.toBe(weak);
    expect(password.isOfToday(stronger)).toBe(true);
    expect(await verifyPassword(stronger, PASSWORD)).toBe(true);
    expect((await world.login()).status).toBe(200);
    expect(world.user(id)!.password_hash).toBe(stronger);
    expect(hashing).toHaveBeenCalledOnce();
  });

  test('stays after a failed login, which waits for no further hash', async () => {
    const { world, id, weak } = await withWeakHash();
    const hashing = vi.spyOn(password, 'hashPassword');
    onTestFinished(() => hashing.mockRestore());
    expect((await world.login({ password: 'wrong' })).status).toBe(401);
    expect((await world.login({ login: 'eve@example.org' })).status).toBe(401);
    expect(hashing).not.toHaveBeenCalled();
    expect(world.user(id)!.password_hash).toBe(weak);
  });

  test('stays where no hash finds room: the login goes on', async () => {
    const { world, id, weak } = await withWeakHash();
    const hashing = vi.spyOn(password, 'hashPassword').mockRejectedValue(new Busy());
    onTestFinished(() => hashing.mockRestore());
    expect((await world.login()).status).toBe(200);
    expect(world.user(id)!.password_hash).toBe(weak);
  });

  test('a new password during the login wins over it', async () => {
    const { world, id } = await withWeakHash();
    const newer = await password.hashPassword('battery staple');
    const login = world.login();
    const turn = world.store.begin();
    putUser(turn, { ...world.user(id)!, password_hash: newer });
    turn.commit();
    expect((await login).code).toBe('invalid_credentials');
    expect(world.user(id)!.password_hash).toBe(newer);
  });

  test.each([
    '',
    'x',
    '$2b$10$abcdefghijklmnopqrstuu',
    '$argon2i$v=19$m=19456,t=2,p=1$x$y',
    '$argon2id$v=19$m=19455,t=2,p=1$x$y',
    '$argon2id$v=19$m=65536,t=3,p=4$x$y',
  ])('%j is none of today', (phc) => expect(password.isOfToday(phc)).toBe(false));

  test('the decoy is one', () => expect(password.isOfToday(decoyPasswordHash())).toBe(true));
});
