import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashPassword } from '#actors/kit/password.ts';
import { resetSecondFactors } from '#actors/identity/passkey/store.ts';
import { drawCode } from '#actors/identity/code/one-time-code.ts';
import { deleteOneTime } from '#actors/identity/user/store.ts';
import { drawOneTime } from '#actors/identity/user/one-time-token.ts';
import { findUser, putUser } from '#actors/identity/store.ts';
import type { Answer, World } from '#test/kit/identity-call.ts';
import { startOpenIdProvider, type OpenIdProvider } from '#test/kit/openid-provider.ts';
import { SoftAuthenticator, type RequestOptions } from '#test/kit/soft-authenticator.ts';
import { codeOf, enrol } from '../mfa/kit.ts';
import { callback, providerRow, signIn } from '../oauth/kit.ts';
import { EMAIL, logIn, passkeyWorld, register, proofFor, said, userIn } from './kit.ts';

const PASSWORD = 'correct horse battery';
let hash: string;
let corp: OpenIdProvider;
beforeAll(async () => {
  hash = await hashPassword(PASSWORD);
  corp = await startOpenIdProvider();
  corp.accounts.set('ada', { email: EMAIL, email_verified: true });
});
afterAll(() => corp.stop());

/** A user with a password whose second factor is a passkey. */
async function place({ secondFactor = true } = {}) {
  const settings = { oauth: { providers: { corp: providerRow(corp.issuer, { link: 'email_verified' }) } } };
  const world = passkeyWorld({ settings, outbound: { allowPrivate: [corp.host] } });
  const id = userIn(world, EMAIL, hash);
  const authorization = world.bearer([], { sub: id });
  const device = new SoftAuthenticator();
  const made = await register(world, authorization, device, { body: { second_factor: secondFactor } });
  return { world, id, authorization, device, passkey: made.body['id'] as string };
}

const login = (world: World, more: object = {}): Promise<Answer> =>
  world.ask('login', { body: { login: EMAIL, password: PASSWORD, ...more } });
const optionsOf = ({ body }: Answer): RequestOptions => (body['details'] as { publicKey: RequestOptions }).publicKey;
const finish = (world: World, credential: object): Promise<Answer> =>
  world.ask('webauthnLoginFinish', { body: { credential } });
const WRONG = [401, 'invalid_credentials'];
const INVALID = [400, 'invalid_challenge'];

describe('a password', () => {
  test('is enough where the passkey is only another way to log in', async () => {
    const { world } = await place({ secondFactor: false });
    expect((await login(world)).status).toBe(200);
  });

  test('asks for the passkey where it is a second factor, and says so; the passkey ends the login', async () => {
    const { world, device } = await place();
    const asked = await login(world);
    expect(said(asked)).toEqual([401, 'mfa_required']);
    const { methods } = asked.body['details'] as { methods: string[] };
    expect(methods).toEqual(['webauthn']);
    expect(optionsOf(asked).allowCredentials!.map(({ id }) => id)).toEqual([
      device.credentials[0]!.id.toString('base64url'),
    ]);
    const answer = await finish(world, device.get(optionsOf(asked), { userVerified: false, userHandle: null }));
    expect(answer.status).toBe(200);
    expect(world.events.at(-1)!.data).toMatchObject({ second_factor_of: 'password' });
    expect(said(await finish(world, device.get(optionsOf(asked))))).toEqual(INVALID);
  });

  test('that is wrong says nothing of it', async () => {
    const { world } = await place();
    const wrong = await login(world, { password: 'wrong horse battery' });
    expect([...said(wrong), wrong.body['details']]).toEqual([...WRONG, undefined]);
  });

  test('a code does not replace it, unless the user has enrolled one: then either does', async () => {
    const { world, authorization, device } = await place();
    expect(said(await login(world, { otp: '123456' }))).toEqual([401, 'mfa_required']);
    const { secret, recoveryCodes } = await enrol(world, authorization);
    const asked = await login(world);
    expect((asked.body['details'] as { methods: string[] }).methods).toEqual(['otp', 'webauthn']);
    expect((await login(world, { otp: codeOf(world, secret) })).status).toBe(200);
    expect(said(await login(world, { otp: '000000' }))).toEqual(WRONG);
    expect((await login(world, { otp: recoveryCodes[0] })).status).toBe(200);
    expect((await finish(world, device.get(optionsOf(asked)))).status).toBe(200);
  });

  test('the answer of a user with codes alone is the contract’s, without details', async () => {
    const { world, authorization } = await place({ secondFactor: false });
    await enrol(world, authorization);
    expect((await login(world)).text).toBe('{"error":"a second factor is required","code":"mfa_required"}');
  });

  test('the challenge is of this user, for a password that is still the same, at this position', async () => {
    const { world, id, device } = await place();
    const eve = new SoftAuthenticator();
    await register(world, world.bearer([], { sub: userIn(world, 'eve@example.org') }), eve);
    const options = optionsOf(await login(world));
    const { challenge } = options;
    expect(said(await finish(world, eve.get({ rpId: 'example.org', challenge })))).toEqual(INVALID);
    const copy = passkeyWorld({ position: 'acme:atlas:dev:other', store: world.store });
    expect(said(await finish(copy, device.get(options)))).toEqual(INVALID);
    const turn = world.store.begin();
    putUser(turn, { ...findUser(turn, id)!, password_hash: 'another' });
    turn.commit();
    expect(said(await finish(world, device.get(options)))).toEqual(INVALID);
  });

  test('the challenge of a login without a name does not stand in, nor this one there', async () => {
    const { world, device } = await place();
    const options = optionsOf(await login(world));
    expect(said(await finish(world, device.get(options, { tamper: 'signature' })))).toEqual(WRONG);
    world.clock.advance(5 * 60_000);
    expect(said(await finish(world, device.get(options)))).toEqual(INVALID);
  });
});

describe('the second factor', () => {
  test('is turned on and off by its user, and reset by an operator', async () => {
    const { world, id, authorization, passkey } = await place({ secondFactor: false });
    const set = (second_factor: boolean) =>
      world.ask('changePasskey', {
        authorization,
        id: passkey,
        body: { second_factor },
        extra: proofFor(world, authorization),
      });
    expect((await set(true)).body['second_factor']).toBe(true);
    expect(said(await login(world))).toEqual([401, 'mfa_required']);
    expect((await set(false)).body['second_factor']).toBe(false);
    expect((await login(world)).status).toBe(200);
    await set(true);
    const turn = world.store.begin();
    resetSecondFactors(turn, id);
    turn.commit();
    expect((await login(world)).status).toBe(200);
  });

  test('is not asked for where the product has passkeys no more: it could not be shown', async () => {
    const { world, device } = await place();
    const without = passkeyWorld({ store: world.store });
    const { passkeys: _passkeys, ...settings } = without.activation.product.settings;
    Object.assign(without.activation, { product: { ...without.activation.product, settings } });
    expect((await login(without)).status).toBe(200);
    expect(said(await logIn(world, device))).toEqual([200, undefined]);
  });
});

describe('a mailed code', () => {
  const withCode = async () => {
    const found = await place();
    const turn = found.world.store.begin();
    const code = drawCode(turn, found.world.context, found.id, '2999-01-01T00:00:00.000Z');
    turn.commit();
    const consume = () => found.world.ask('consumeCode', { body: { login: EMAIL, code } });
    return { ...found, code, consume };
  };

  test('asks for the passkey and says so; the passkey ends the login, and the code with it', async () => {
    const { world, device, consume } = await withCode();
    const asked = await consume();
    expect(said(asked)).toEqual([401, 'mfa_required']);
    expect((asked.body['details'] as { methods: string[] }).methods).toEqual(['webauthn']);
    expect((await consume()).code).toBe('mfa_required');
    expect((await finish(world, device.get(optionsOf(asked), { userHandle: null }))).status).toBe(200);
    expect(world.events.at(-1)!.data).toMatchObject({ second_factor_of: 'code' });
    expect(said(await consume())).toEqual([401, 'invalid_mailed_code']);
  });

  test('that ended meanwhile ends no login', async () => {
    const { world, id, device, consume } = await withCode();
    const asked = await consume();
    const turn = world.store.begin();
    deleteOneTime(turn, 'code', id);
    turn.commit();
    expect(said(await finish(world, device.get(optionsOf(asked))))).toEqual(INVALID);
  });
});

describe('a mailed link', () => {
  const linkOf = (world: World, id: string): string => {
    const turn = world.store.begin();
    const token = drawOneTime(turn, world.context, 'magic_link', id, '2999-01-01T00:00:00.000Z');
    turn.commit();
    return token;
  };

  test('asks for the passkey, and is spent with the login', async () => {
    const { world, id, device } = await place();
    const body = { token: linkOf(world, id) };
    const first = await world.ask('consumeMagicLink', { body });
    const second = await world.ask('consumeMagicLink', { body });
    expect(said(first)).toEqual([401, 'mfa_required']);
    expect((await finish(world, device.get(optionsOf(first)))).status).toBe(200);
    expect(said(await finish(world, device.get(optionsOf(second))))).toEqual(INVALID);
    expect(said(await world.ask('consumeMagicLink', { body }))).toEqual([401, 'invalid_one_time_token']);
  });
});

describe('a sign-in with a provider', () => {
  test('asks for the passkey; its state answers no further', async () => {
    const { world, id, device } = await place();
    const asked = await signIn(world, corp, 'ada');
    expect(said(asked)).toEqual([401, 'mfa_required']);
    const { state } = asked.body['details'] as { state: string };
    const again = await callback(world, new URLSearchParams({ state }));
    expect(said(again)).toEqual([401, 'mfa_required']);
    expect((await finish(world, device.get(optionsOf(again)))).status).toBe(200);
    expect(world.events.at(-1)).toMatchObject({ actor: id, data: { second_factor_of: 'oauth' } });
  });
});
