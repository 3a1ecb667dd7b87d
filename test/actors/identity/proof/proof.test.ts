/** Proofs, and what asks for one: ways into an account are not added or taken away by a stolen token. Spec: docs/contract/identity-users.md §9. */
import { describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { CALLER_BUCKET } from '#actors/protocol/frame.ts';
import { putUser } from '#actors/identity/store.ts';
import { SoftAuthenticator, type RequestOptions } from '#test/kit/soft-authenticator.ts';
import { EMAIL, PASSWORD } from '#test/kit/users.ts';
import { accountWorld, GRACE, NEW_PASSWORD, type AccountWorld } from '../account/kit.ts';
import { logIn, said, SETTINGS } from '../passkey/kit.ts';

const MANAGED = { sessions: { mode: 'managed' } } as const;
const WRONG = [401, 'invalid_credentials'];
const OLD = [403, 'proof_required'];

async function ada(settings: object = MANAGED) {
  const world = accountWorld({}, { ...settings, passkeys: SETTINGS });
  const id = await world.addUser();
  const { body } = await world.login();
  const authorization = `Bearer ${String(body['access_token'])}`;
  return { world, id, authorization, refresh: body['refresh_token'] as string };
}

const give = (world: AccountWorld, authorization: string, body: object, extra = '') =>
  world.ask('giveProof', { authorization, body, extra });
async function proof(world: AccountWorld, authorization: string, body: object = { password: PASSWORD }) {
  const answer = await give(world, authorization, body);
  if (answer.status !== 200) throw new Error(answer.text);
  return `x-skep-proof:${String(answer.body['proof'])}\n`;
}
const begin = (world: AccountWorld, authorization: string, extra = '') =>
  world.ask('webauthnBegin', { authorization, extra });

/** Registers a passkey of a user; gives its id and the device. */
async function withPasskey(world: AccountWorld, authorization: string, extra = '') {
  const device = new SoftAuthenticator();
  const { body } = await begin(world, authorization, extra);
  const credential = device.create(body['publicKey'] as never);
  const made = await world.ask('webauthnFinish', { authorization, body: { credential } });
  if (made.status !== 201) throw new Error(made.text);
  return { device, passkey: made.body['id'] as string };
}

async function options(world: AccountWorld, authorization: string): Promise<RequestOptions> {
  const { body } = await world.ask('beginProof', { authorization });
  return body['publicKey'] as RequestOptions;
}
const old = (world: AccountWorld) => world.clock.advance(limits.account.freshLoginMs);

describe('what asks for a proof', () => {
  test('takes a fresh login; later a registration, a change of factor and a removal are refused, a new name is not', async () => {
    const { world, authorization } = await ada();
    const { passkey } = await withPasskey(world, authorization);
    const change = (body: object, extra = '') =>
      world.ask('changePasskey', { authorization, id: passkey, body, extra });
    const remove = (extra = '') => world.ask('removePasskey', { authorization, id: passkey, extra });
    expect((await change({ second_factor: true })).status).toBe(200);
    old(world);
    for (const answer of [await begin(world, authorization), await change({ second_factor: false }), await remove()]) {
      expect(said(answer)).toEqual(OLD);
      expect(answer.body['details']).toEqual({ methods: ['password', 'webauthn', 'login'] });
    }
    expect((await change({ name: 'Mine', second_factor: true })).status).toBe(200);
    const shown = await proof(world, authorization);
    expect((await change({ second_factor: false }, shown)).body).toMatchObject({ second_factor: false, name: 'Mine' });
    expect((await begin(world, authorization, shown)).status).toBe(200);
    expect((await remove(shown)).status).toBe(200);
  });

  test('is not made fresh by a refresh or a rotation', async () => {
    const { world, authorization, refresh } = await ada();
    old(world);
    const next = await world.refresh(refresh);
    const renewed = `Bearer ${String(next.body['access_token'])}`;
    expect(said(await begin(world, renewed))).toEqual(OLD);
    const sid = next.body['session_id'];
    await world.ask('rotateSession', { authorization, body: { id: sid } });
    const rotated = await world.refresh(next.body['refresh_token']);
    expect(said(await begin(world, `Bearer ${String(rotated.body['access_token'])}`))).toEqual(OLD);
  });

  test('in a stateless tenant takes no login for fresh that the token does not name', async () => {
    const { world, authorization, refresh } = await ada({});
    expect(said(await begin(world, authorization))).toEqual(OLD);
    expect(
      (await begin(world, authorization, await proof(world, authorization, { refresh_token: refresh }))).status,
    ).toBe(200);
  });
});

describe('a proof', () => {
  test('is given for the password, and lives five minutes', async () => {
    const { world, authorization } = await ada({});
    const answer = await give(world, authorization, { password: PASSWORD });
    expect(answer.body).toEqual({ proof: expect.any(String) as string, expires_in: 300 });
    expect(answer.headers['Cache-Control']).toBe('no-store');
    const extra = `x-skep-proof:${String(answer.body['proof'])}\n`;
    for (let i = 0; i < 2; i++) expect((await begin(world, authorization, extra)).status).toBe(200);
    world.clock.advance(300_000);
    expect(said(await begin(world, authorization, extra))).toEqual(OLD);
  });

  test('counts for its user, in its session, until the password changes', async () => {
    const { world, authorization } = await ada();
    await world.addUser(GRACE);
    const [grace, other] = [await world.loggedIn(GRACE), await world.loggedIn(EMAIL)];
    old(world);
    const extra = await proof(world, authorization);
    for (const thief of [grace, other]) expect(said(await begin(world, thief, extra))).toEqual(OLD);
    expect((await begin(world, authorization, extra)).status).toBe(200);
    const body = { current: PASSWORD, password: NEW_PASSWORD };
    expect((await world.ask('changePassword', { authorization, body })).status).toBe(200);
    expect(said(await begin(world, authorization, extra))).toEqual(OLD);
  });

  test('is neither a challenge of ours nor the answer to one', async () => {
    const { world, authorization } = await ada();
    const { device } = await withPasskey(world, authorization);
    old(world);
    const { challenge } = await options(world, authorization);
    expect(said(await begin(world, authorization, `x-skep-proof:${challenge}\n`))).toEqual(OLD);
    const answer = await give(world, authorization, { password: PASSWORD });
    const credential = device.get({
      ...(await options(world, authorization)),
      challenge: String(answer.body['proof']),
    });
    expect(said(await world.ask('webauthnLoginFinish', { body: { credential } }))).toEqual([400, 'invalid_challenge']);
    expect(said(await give(world, authorization, { credential }))).toEqual([400, 'invalid_challenge']);
  });

  test('is given for a passkey of the user alone, once for each challenge', async () => {
    const { world, authorization } = await ada();
    const { device } = await withPasskey(world, authorization);
    await world.addUser(GRACE);
    const grace = await world.loggedIn(GRACE);
    const hers = await withPasskey(world, grace);
    old(world);
    const asked = await options(world, authorization);
    expect(asked.allowCredentials).toHaveLength(1);
    const credential = device.get(asked);
    expect(said(await give(world, grace, { credential }))).toEqual([400, 'invalid_challenge']);
    expect(
      said(await give(world, authorization, { credential: hers.device.get({ ...asked, allowCredentials: [] }) })),
    ).toEqual(WRONG);
    const bent = device.get(asked, { origin: 'https://evil.example' });
    expect(said(await give(world, authorization, { credential: bent }))).toEqual([400, 'invalid_passkey']);
    const extra = await proof(world, authorization, { credential });
    expect((await begin(world, authorization, extra)).status).toBe(200);
    expect(said(await give(world, authorization, { credential }))).toEqual([400, 'invalid_challenge']);
    expect(said(await world.ask('webauthnLoginFinish', { body: { credential } }))).toEqual([400, 'invalid_challenge']);
    expect((await logIn(world, device)).status).toBe(200);
  });

  test('is not given for a passkey of a copied authenticator, and the bus is told', async () => {
    const { world, authorization } = await ada();
    const { device } = await withPasskey(world, authorization);
    const first = device.get(await options(world, authorization), { counter: 9 });
    expect((await give(world, authorization, { credential: first })).status).toBe(200);
    const copy = device.get(await options(world, authorization), { counter: 9 });
    expect(said(await give(world, authorization, { credential: copy }))).toEqual(WRONG);
    expect(world.events.map(({ action }) => action)).toContain('auth.passkey.clone_suspected');
  });

  test('is given for a login of the user that is fresh, lives and was not refreshed elsewhere', async () => {
    const { world, authorization, refresh } = await ada({});
    await world.addUser(GRACE);
    const hers = (await world.login({ login: GRACE })).body['refresh_token'];
    for (const refresh_token of [hers, 'x', `${refresh}x`])
      expect(said(await give(world, authorization, { refresh_token }))).toEqual(WRONG);
    const next = (await world.refresh(refresh)).body['refresh_token'] as string;
    expect(said(await give(world, authorization, { refresh_token: refresh }))).toEqual(WRONG);
    expect((await give(world, authorization, { refresh_token: next })).status).toBe(200);
    old(world);
    expect(said(await give(world, authorization, { refresh_token: next }))).toEqual(WRONG);
    const ended = (await world.login()).body['refresh_token'];
    await world.ask('logout', { body: { refresh_token: ended } });
    expect(said(await give(world, authorization, { refresh_token: ended }))).toEqual(WRONG);
  });

  test('guesses at the password are bounded as those of a login', async () => {
    const { world, authorization } = await ada();
    const guess = () => give(world, authorization, { password: 'wrong' }, `${CALLER_BUCKET}:thief\n`);
    for (let i = 0; i < limits.identity.wrongPasswordsBurst; i++) expect(said(await guess())).toEqual(WRONG);
    await guess();
    expect((await guess()).status).toBe(429);
  });

  test('needs one way, and no other member', async () => {
    const { world, authorization, refresh } = await ada();
    for (const body of [
      {},
      { password: PASSWORD, refresh_token: refresh },
      { password: PASSWORD, otp: '1' },
      { password: '' },
    ])
      expect(said(await give(world, authorization, body))).toEqual([400, 'bad_request']);
  });
});

test('without passkeys, or one of the user, none is begun', async () => {
  const { world, authorization } = await ada();
  expect(said(await world.ask('beginProof', { authorization }))).toEqual([404, 'unknown_passkey']);
  const without = accountWorld();
  await without.addUser();
  const bearer = await without.loggedIn(EMAIL);
  expect(said(await without.ask('beginProof', { authorization: bearer }))).toEqual([503, 'webauthn_disabled']);
});

test.each(['giveProof', 'beginProof'] as const)('%s is the user’s alone', async (name) => {
  const { world, id } = await ada();
  const ask = (authorization: string) => world.ask(name, { authorization, body: { password: PASSWORD } });
  for (const mode of ['full', 'readonly'] as const)
    expect(said(await ask(world.impersonating(id, mode)))).toEqual([403, 'account_denied']);
  expect(said(await ask(world.key({ roles: ['tenant_admin'], is_superadmin: true })))).toEqual([401, 'auth_required']);
  const turn = world.store.begin();
  putUser(turn, { ...world.user(id)!, disabled_at: '2026-01-01T00:00:00.000Z' });
  turn.commit();
  expect((await ask(world.as(id))).status).toBe(401);
});

test('events name user, way and outcome, and hold no proof and no password', async () => {
  const { world, id, authorization } = await ada();
  world.events.splice(0);
  const { body } = await give(world, authorization, { password: PASSWORD });
  await give(world, authorization, { password: 'not the one' });
  const ended = world.events.filter(({ action }) => action === 'auth.proof.after');
  expect(ended.map(({ outcome, actor, target, data }) => [outcome, actor, target, data])).toEqual([
    ['ok', id, id, { by: 'password' }],
    ['invalid_credentials', id, id, { by: 'password' }],
  ]);
  for (const secret of [PASSWORD, 'not the one', String(body['proof'])])
    expect(JSON.stringify(world.events)).not.toContain(secret);
});
