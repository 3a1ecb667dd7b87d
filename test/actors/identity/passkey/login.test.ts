import { describe, expect, test } from 'vitest';
import { readPasskeys, readUse } from '#actors/identity/passkey/store.ts';
import { verifyToken } from '#actors/kit/token/verify.ts';
import { INACTIVE_TENANT, MALFORMED_POSITION, NO_POSITION, UNKNOWN_POSITION } from '#actors/protocol/frame.ts';
import { limits } from '#config/limits.ts';
import { MemoryStore } from '#test/storage/memory.ts';
import type { World } from '#test/kit/identity-call.ts';
import { SoftAuthenticator, type Bend } from '#test/kit/soft-authenticator.ts';
import { codeOf, enrol } from '../mfa/kit.ts';
import { begin, beginLogin, logIn, passkeyWorld, register, said, someone, userIn } from './kit.ts';

const WRONG = [401, 'invalid_credentials'];
const INVALID = [400, 'invalid_challenge'];
const finish = (world: World, credential: object, more: object = {}) =>
  world.ask('webauthnLoginFinish', { body: { credential, ...more } });

describe('a login by passkey', () => {
  test.each(['ES256', 'EdDSA'] as const)('gives tokens without a name, with %s', async (algorithm) => {
    const { world, id, device, passkey } = await someone({}, new SoftAuthenticator({ algorithm }));
    const options = await beginLogin(world);
    expect(options).toMatchObject({ rpId: 'example.org', allowCredentials: [], userVerification: 'preferred' });
    world.clock.advance(1000);
    const answer = await finish(world, device.get(options));
    expect(answer.status).toBe(200);
    expect(answer.headers['Cache-Control']).toBe('no-store');
    expect(Object.keys(answer.body)).toEqual(['access_token', 'token_type', 'expires_in', 'refresh_token']);
    const { claims } = verifyToken(answer.body['access_token'] as string, world.ring, world.clock.now())!;
    expect(claims).toMatchObject({ type: 'user', sub: id, roles: ['tenant_user'] });
    expect(readUse(world.store.begin(), passkey)).toMatchObject({
      counter: 0,
      last_used_at: expect.any(String) as string,
    });
    expect(world.events.at(-1)).toMatchObject({
      action: 'auth.webauthn_login.after',
      actor: id,
      target: id,
      outcome: 'ok',
      data: { passkey },
    });
    expect(JSON.stringify(world.events)).not.toContain(options.challenge);
  });

  test('opens a session where the product has them, within its limit', async () => {
    const settings = { sessions: { mode: 'managed', max: 1, on_limit: 'reject' } } as const;
    const world = passkeyWorld({ settings });
    const id = userIn(world);
    const device = new SoftAuthenticator();
    const other = passkeyWorld({ store: world.store });
    other.ring = world.ring;
    await register(other, other.bearer([], { sub: id }), device);
    expect((await logIn(world, device)).body['session_id']).toBeTypeOf('string');
    expect(said(await logIn(world, device))).toEqual([409, 'session_limit']);
  });

  test('of another origin of the product', async () => {
    const { world, device } = await someone();
    expect((await logIn(world, device, { origin: 'https://example.org:8443' })).status).toBe(200);
  });

  test.each<[string, Bend, readonly unknown[]]>([
    ['origin', { origin: 'https://evil.example' }, [400, 'invalid_passkey']],
    ['type', { type: 'webauthn.create' }, [400, 'invalid_passkey']],
    ['frame', { crossOrigin: true }, [400, 'invalid_passkey']],
    ['domain', { rpId: 'evil.example' }, WRONG],
    ['presence', { userPresent: false }, WRONG],
    ['backup state', { backedUp: true }, WRONG],
    ['user handle', { userHandle: 'AAAA' }, WRONG],
    ['missing user handle', { userHandle: null }, WRONG],
    ['signature', { tamper: 'signature' }, WRONG],
    ['counter after the signature', { tamper: 'authenticatorData' }, WRONG],
    ['client data after the signature', { tamper: 'clientDataJSON' }, WRONG],
    ['challenge', { challenge: 'AAAA' }, INVALID],
  ])('with a wrong %s is refused', async (_what, bend, expected) => {
    const { world, device } = await someone();
    expect(said(await logIn(world, device, bend))).toEqual(expected);
    expect((await logIn(world, device)).status).toBe(200);
  });

  test('where verification of the user is required, not without it', async () => {
    const world = passkeyWorld({}, { user_verification: 'required' });
    const device = new SoftAuthenticator();
    await register(world, world.bearer([], { sub: userIn(world) }), device);
    expect(said(await logIn(world, device, { userVerified: false }))).toEqual(WRONG);
    expect((await logIn(world, device)).status).toBe(200);
  });

  test('an unknown passkey, one of another user and one of a deleted user are told alike', async () => {
    const { world, id, device } = await someone();
    const stranger = new SoftAuthenticator();
    stranger.create({ rp: { id: 'example.org' }, user: { id: 'AAAA' }, challenge: '' });
    const unknown = await logIn(world, stranger);
    const known = await logIn(world, device, { tamper: 'signature' });
    expect(said(unknown)).toEqual(WRONG);
    expect([known.text, known.headers]).toEqual([unknown.text, unknown.headers]);
    const forged = { ...stranger.get(await beginLogin(world)), id: device.credentials[0]!.id.toString('base64url') };
    expect(said(await finish(world, { ...forged, rawId: forged.id }))).toEqual(WRONG);
    const turn = world.store.begin();
    const [record] = readPasskeys(turn, id);
    expect(record!.user).toBe(id);
    turn.abort();
    const gone = passkeyWorld({ store: new MemoryStore() });
    expect((await logIn(gone, device)).text).toBe(unknown.text);
  });

  test('an unknown passkey costs a verification of a signature, too', async () => {
    const { world } = await someone();
    const stranger = new SoftAuthenticator();
    stranger.create({ rp: { id: 'example.org' }, user: { id: 'AAAA' }, challenge: '' });
    const verified: unknown[] = [];
    const verify = crypto.subtle.verify.bind(crypto.subtle);
    crypto.subtle.verify = async (...given: Parameters<typeof verify>) => {
      verified.push(given[0]);
      return verify(...given);
    };
    try {
      expect(said(await logIn(world, stranger))).toEqual(WRONG);
    } finally {
      crypto.subtle.verify = verify;
    }
    expect(verified).toHaveLength(1);
  });

  test.each([
    [NO_POSITION, [400, 'no_tenant']],
    [MALFORMED_POSITION, [400, 'invalid tenant']],
    [UNKNOWN_POSITION, [400, 'invalid tenant']],
    [INACTIVE_TENANT, [403, 'tenant_inactive']],
  ])('at the place %i', async (tenantNo, expected) => {
    for (const name of ['webauthnLoginBegin', 'webauthnLoginFinish'] as const)
      expect(said(await passkeyWorld().ask(name, { tenantNo }))).toEqual(expected);
  });

  test('a body that is none is a bad request', async () => {
    for (const body of ['{', [], {}, { credential: { id: 'A A', rawId: 'A A', type: 'public-key', response: {} } }])
      expect(said(await passkeyWorld().ask('webauthnLoginFinish', { body }))).toEqual([400, 'bad_request']);
  });
});

describe('the challenge of a login', () => {
  test('counts once: a replay, also a parallel one, is refused', async () => {
    const { world, device } = await someone();
    const credential = device.get(await beginLogin(world));
    const answers = await Promise.all([0, 1, 2].map(() => finish(world, credential)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400, 400]);
    expect(said(await finish(world, credential))).toEqual(INVALID);
    const awake = passkeyWorld({ store: world.store });
    expect(said(await finish(awake, credential))).toEqual(INVALID);
  });

  test('counts once for two passkeys as well', async () => {
    const { world, authorization, device } = await someone();
    const second = new SoftAuthenticator();
    await register(world, authorization, second);
    const options = await beginLogin(world);
    expect((await finish(world, device.get(options))).status).toBe(200);
    expect(said(await finish(world, second.get(options)))).toEqual(INVALID);
  });

  test('is not spent by an answer that does not verify: a stranger who reads it cannot use it up', async () => {
    const { world, device } = await someone();
    const options = await beginLogin(world);
    expect(said(await finish(world, device.get(options, { tamper: 'signature' })))).toEqual(WRONG);
    expect((await finish(world, device.get(options))).status).toBe(200);
  });

  test.each([
    [5 * 60_000 - 1, [200, undefined]],
    [5 * 60_000, INVALID],
  ])('lives five minutes: after %i ms', async (ms, expected) => {
    const { world, device } = await someone();
    const credential = device.get(await beginLogin(world));
    world.clock.advance(ms);
    expect(said(await finish(world, credential))).toEqual(expected);
  });

  test('of another position does not count, not even in a copy of its store', async () => {
    const { world, device } = await someone();
    const credential = device.get(await beginLogin(world));
    const copy = passkeyWorld({ position: 'acme:atlas:dev:other', store: world.store });
    expect(said(await finish(copy, credential))).toEqual(INVALID);
    expect((await finish(world, credential)).status).toBe(200);
  });

  test('of a registration does not count', async () => {
    const { world, authorization, device } = await someone();
    const { challenge } = await begin(world, authorization);
    expect(said(await logIn(world, device, { challenge }))).toEqual(INVALID);
  });

  test('a flood of begins and of wrong answers writes nothing; spent ones go when their time is over', async () => {
    const store = new MemoryStore();
    const { world, device } = await someone({ store });
    await logIn(world, device);
    const spent = () => [...store.begin().range('\x00\x72', '\x00\x73')].length;
    const rows = () => [...store.begin().range('', '\xff')].length;
    const before = rows();
    for (let time = 0; time < 100; time++) {
      await beginLogin(world);
      await logIn(world, device, { tamper: 'signature' });
    }
    expect(rows()).toBe(before);
    // One of the registration, one of the login.
    expect(spent()).toBe(2);
    for (let time = 0; time < 5; time++) await logIn(world, device);
    expect(spent()).toBe(7);
    world.clock.advance(limits.passkeys.challengeMs + 60_000);
    await logIn(world, device);
    expect(spent()).toBe(1);
  });

  test('one user logs in a bounded number of times: what a holder of a passkey can write has an end', async () => {
    const { world, authorization, device } = await someone();
    for (let time = 0; time < limits.passkeys.loginsBurst; time++)
      expect((await logIn(world, device)).status).toBe(200);
    const late = await logIn(world, device);
    expect([late.status, late.body['error'], late.body['profile'], late.headers['Retry-After']]).toEqual([429, 'rate_limited', 'auth_account', '5']); // prettier-ignore
    const eve = new SoftAuthenticator();
    await register(world, world.bearer([], { sub: userIn(world, 'eve@example.org') }), eve);
    expect((await logIn(world, eve)).status).toBe(200);
    world.clock.advance(limits.passkeys.loginEveryMs);
    expect((await logIn(world, device)).status).toBe(200);
    expect((await world.ask('listPasskeys', { authorization })).status).toBe(200);
  });
});

describe('the counter', () => {
  const device = () => new SoftAuthenticator({ counts: true });

  test('grows; one that does not is a copy: refused, told on the bus, shown to the user', async () => {
    const { world, id, authorization, device: original, passkey } = await someone({}, device());
    expect((await logIn(world, original)).status).toBe(200);
    expect((await logIn(world, original)).status).toBe(200);
    expect(readUse(world.store.begin(), passkey).counter).toBe(3);
    for (const counter of [3, 2, 0]) {
      world.events.length = 0;
      expect(said(await logIn(world, original, { counter }))).toEqual(WRONG);
      expect(world.events.map(({ action, outcome }) => `${action} ${outcome}`)).toContain('auth.passkey.clone_suspected invalid_credentials'); // prettier-ignore
      const alarm = world.events.find(({ action }) => action === 'auth.passkey.clone_suspected')!;
      expect(alarm).toMatchObject({ actor: id, target: id, data: { passkey, counter, last_counter: 3 } });
    }
    const { credentials } = (await world.ask('listPasskeys', { authorization })).body as {
      credentials: { cloned_at: string | null }[];
    };
    expect(credentials[0]!.cloned_at).toBeTypeOf('string');
    expect((await logIn(world, original, { counter: 100 })).status).toBe(200);
  });

  test('a stranger without the key cannot raise the alarm', async () => {
    const { world, device: original, passkey } = await someone({}, device());
    await logIn(world, original);
    expect(said(await logIn(world, original, { counter: 1, tamper: 'signature' }))).toEqual(WRONG);
    expect(world.events.some(({ action }) => action === 'auth.passkey.clone_suspected')).toBe(false);
    expect(readUse(world.store.begin(), passkey).cloned_at).toBeNull();
  });

  test('whether the passkey is backed up is noted at each login', async () => {
    const { world, device: synced, passkey } = await someone({}, new SoftAuthenticator({ synced: true }));
    for (const backedUp of [false, true]) {
      await logIn(world, synced, { backedUp });
      expect(readUse(world.store.begin(), passkey).backed_up).toBe(backedUp);
    }
  });
});

describe('a passkey that did not verify its user is one factor', () => {
  test('so a user with TOTP is asked for a code; one that did is enough', async () => {
    const { world, authorization, device } = await someone({}, new SoftAuthenticator({ counts: true }));
    const { secret } = await enrol(world, authorization);
    const asked = await logIn(world, device, { userVerified: false });
    expect(said(asked)).toEqual([401, 'mfa_required']);
    expect(asked.body['details']).toEqual({ methods: ['otp'] });
    const options = await beginLogin(world);
    const credential = device.get(options, { userVerified: false });
    expect(said(await finish(world, credential))).toEqual([401, 'mfa_required']);
    expect(said(await finish(world, credential, { otp: '000000' }))).toEqual(WRONG);
    expect((await finish(world, credential, { otp: codeOf(world, secret) })).status).toBe(200);
    expect(said(await finish(world, credential, { otp: codeOf(world, secret, 1) }))).toEqual(INVALID);
    expect((await logIn(world, device)).status).toBe(200);
  });
});
