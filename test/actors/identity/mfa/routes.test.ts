import { describe, expect, test } from 'vitest';
import { readRecoveryCodes } from '#actors/identity/mfa/store.ts';
import { mfaRefusals } from '#actors/identity/mfa/refusals.ts';
import { mfaRoutes } from '#actors/identity/mfa/routes.ts';
import { secretSha256 } from '#actors/kit/secret.ts';
import { INACTIVE_TENANT, NO_POSITION, UNKNOWN_POSITION } from '#actors/protocol/frame.ts';
import { FullStore, World, type Answer } from '#test/kit/identity-call.ts';
import { SessionWorld } from '../session/kit.ts';
import { codeOf, EMAIL, enrol, keyOf, userIn } from './kit.ts';

const WITH_CODE = ['enableTotp', 'disableTotp', 'renewRecoveryCodes'] as const;
const ALL = ['setupTotp', ...WITH_CODE] as const;
const said = ({ status, code }: Answer) => [status, code];

/** A world with a user, and a token of that user. */
function place(options = {}) {
  const world = new World(options);
  const id = userIn(world);
  return { world, id, authorization: world.bearer([], { sub: id }) };
}

describe('setup', () => {
  test('gives a secret and the URI for an app; a second one replaces the first', async () => {
    const { world, authorization } = place();
    const first = await world.ask('setupTotp', { authorization });
    expect(first.status).toBe(200);
    expect(first.headers['Cache-Control']).toBe('no-store');
    expect(first.body['secret']).toMatch(/^[A-Z2-7]{32}$/);
    expect(first.body['otpauth_uri']).toContain(`secret=${first.body['secret'] as string}`);
    expect(decodeURIComponent(first.body['otpauth_uri'] as string)).toContain(EMAIL);
    const second = await world.ask('setupTotp', { authorization });
    expect(second.body['secret']).not.toBe(first.body['secret']);
    const old = { code: codeOf(world, first.body['secret']) };
    expect(said(await world.ask('enableTotp', { authorization, body: old }))).toEqual([400, 'invalid_code']);
    const fresh = { code: codeOf(world, second.body['secret']) };
    expect((await world.ask('enableTotp', { authorization, body: fresh })).status).toBe(200);
  });

  test('is refused once enabled: a factor is not replaced without showing it', async () => {
    const { world, authorization } = place();
    await enrol(world, authorization);
    expect(said(await world.ask('setupTotp', { authorization }))).toEqual([409, 'mfa_enabled']);
  });
});

describe('enable', () => {
  test('gives ten recovery codes, stored as digests only', async () => {
    const { world, id, authorization } = place();
    const { secret } = (await world.ask('setupTotp', { authorization })).body;
    const answer = await world.ask('enableTotp', { authorization, body: { code: codeOf(world, secret) } });
    expect(answer.headers['Cache-Control']).toBe('no-store');
    const codes = answer.body['recovery_codes'] as string[];
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^(?:[A-Z2-7]{4}-){3}[A-Z2-7]{4}$/);
    const stored = readRecoveryCodes(world.store.begin(), id).map(({ sha256 }) => Buffer.from(sha256).toString('hex'));
    expect(stored).toEqual(codes.map((code) => secretSha256(code.replaceAll('-', '')).toString('hex')));
  });

  test('needs a setup, happens once, and takes a code once', async () => {
    const { world, authorization } = place();
    expect(said(await world.ask('enableTotp', { authorization, body: { code: '000000' } }))).toEqual([
      409,
      'mfa_not_setup',
    ]);
    const { secret } = (await world.ask('setupTotp', { authorization })).body;
    const body = { code: codeOf(world, secret) };
    expect((await world.ask('enableTotp', { authorization, body })).status).toBe(200);
    expect(said(await world.ask('enableTotp', { authorization, body }))).toEqual([409, 'mfa_enabled']);
    expect(said(await world.ask('disableTotp', { authorization, body }))).toEqual([400, 'invalid_code']);
  });

  test('a full disk enables nothing', async () => {
    const store = new FullStore();
    const { world, authorization } = place({ store });
    const { secret } = (await world.ask('setupTotp', { authorization })).body;
    const body = { code: codeOf(world, secret) };
    store.full = 'disk';
    expect(said(await world.ask('enableTotp', { authorization, body }))).toEqual([500, 'persist_failed']);
    store.full = null;
    expect((await world.ask('enableTotp', { authorization, body })).status).toBe(200);
  });
});

describe('disable', () => {
  test('with a code: secret and recovery codes are gone, and setup may begin anew', async () => {
    const { world, id, authorization } = place();
    const { secret } = await enrol(world, authorization);
    const answer = await world.ask('disableTotp', { authorization, body: { code: codeOf(world, secret) } });
    expect([answer.status, answer.body]).toEqual([200, { ok: true }]);
    expect(readRecoveryCodes(world.store.begin(), id)).toEqual([]);
    expect((await world.ask('setupTotp', { authorization })).status).toBe(200);
  });

  test('with a recovery code, in any spelling', async () => {
    const { world, authorization } = place();
    const { recoveryCodes } = await enrol(world, authorization);
    const code = recoveryCodes[9]!.toLowerCase().replaceAll('-', ' ');
    expect((await world.ask('disableTotp', { authorization, body: { code } })).status).toBe(200);
  });

  test.each(['disableTotp', 'renewRecoveryCodes'] as const)('%s needs TOTP enabled, not only set up', async (name) => {
    const { world, authorization } = place();
    const refused = [409, 'mfa_not_enabled'];
    expect(said(await world.ask(name, { authorization, body: { code: '000000' } }))).toEqual(refused);
    const { secret } = (await world.ask('setupTotp', { authorization })).body;
    expect(said(await world.ask(name, { authorization, body: { code: codeOf(world, secret) } }))).toEqual(refused);
  });
});

test('renewed recovery codes replace all that were left', async () => {
  const { world, authorization } = place();
  const { secret, recoveryCodes } = await enrol(world, authorization);
  const answer = await world.ask('renewRecoveryCodes', { authorization, body: { code: codeOf(world, secret) } });
  const fresh = answer.body['recovery_codes'] as string[];
  expect(fresh).toHaveLength(10);
  expect(fresh.filter((code) => recoveryCodes.includes(code))).toEqual([]);
  const spend = async (code: string) => (await world.ask('renewRecoveryCodes', { authorization, body: { code } })).code;
  expect(await spend(recoveryCodes[0]!)).toBe('invalid_code');
  expect(await spend(fresh[0]!)).toBeUndefined();
  expect(await spend(fresh[1]!)).toBe('invalid_code');
});

describe('whose factor it is', () => {
  test('an ordinary key stands for the user who issued it', async () => {
    const { world, id, authorization } = place();
    const key = keyOf(world, id);
    const { secret } = await enrol(world, key);
    expect(said(await world.ask('setupTotp', { authorization: key }))).toEqual([409, 'mfa_enabled']);
    const body = { code: codeOf(world, secret) };
    expect((await world.ask('disableTotp', { authorization, body })).status).toBe(200);
  });

  test.each<[string, (world: World, id: string) => string]>([
    ['issued by no user of the tenant', (world) => keyOf(world, 'internal')],
    ['issued by another key', (world, id) => keyOf(world, keyOf(world, id).slice('ApiKey '.length).split('.')[0]!)],
    ['with a scope: a machine’s', (world, id) => keyOf(world, id, { scope: ['acme:dev:atlas:main'] })],
  ])('a key %s stands for itself', async (_name, makeKey) => {
    const { world, id, authorization } = place();
    const key = makeKey(world, id);
    const { secret } = await enrol(world, key);
    const setup = await world.ask('setupTotp', { authorization });
    expect(setup.status).toBe(200);
    expect(said(await world.ask('disableTotp', { authorization: key, body: { code: codeOf(world, secret) } }))).toEqual(
      [200, undefined],
    );
  });

  test.each<[string, object]>([
    ['a service token', { type: 'service', sub: 'apikey:K', scope: ['acme:dev:atlas:main'] }],
    ['a token whose user is unknown', { sub: '01ARZ3NDEKTSV4RRFFQ69G5FAV' }],
  ])('%s is denied', async (_name, claims) => {
    const { world } = place();
    const authorization = world.bearer([], claims);
    for (const name of ALL)
      expect(said(await world.ask(name, { authorization, body: { code: '000000' } }))).toEqual([403, 'mfa_denied']);
  });

  test('an impersonation is denied: it acts for the user, it is not the user', async () => {
    const world = new SessionWorld({});
    const id = userIn(world);
    const sid = world.open(id, { kind: 'impersonation', actor: 'operator' });
    const authorization = world.as(id, sid, [], { act: { sub: 'operator', mode: 'full' } });
    for (const name of ALL)
      expect(said(await world.ask(name, { authorization, body: { code: '000000' } }))).toEqual([403, 'mfa_denied']);
  });
});

describe('what every route answers before it looks', () => {
  test.each(ALL)('%s: credential, place, body in identity’s order', async (name) => {
    const { world, authorization } = place();
    const body = { code: '000000' };
    expect(said(await world.ask(name, { body }))).toEqual([401, 'auth_required']);
    expect(said(await world.ask(name, { authorization: 'Bearer x', body }))).toEqual([401, 'invalid_token']);
    expect(said(await world.ask(name, { authorization: 'ApiKey x', body }))).toEqual([401, 'invalid_api_key']);
    expect(said(await world.ask(name, { authorization: 'ApiKey x', body, tenantNo: NO_POSITION }))).toEqual([
      401,
      'no_tenant',
    ]);
    expect(said(await world.ask(name, { authorization, body, tenantNo: NO_POSITION }))).toEqual([400, 'no_tenant']);
    expect(said(await world.ask(name, { authorization, body, tenantNo: UNKNOWN_POSITION }))).toEqual([
      400,
      'invalid tenant',
    ]);
    expect(said(await world.ask(name, { authorization, body, tenantNo: INACTIVE_TENANT }))).toEqual([
      500,
      'engine_unavailable',
    ]);
  });

  test.each(WITH_CODE)('%s takes {code} and nothing less', async (name) => {
    const { world, authorization } = place();
    for (const body of ['', '{', '[]', {}, { code: 123456 }, { code: null }, { code: 'x'.repeat(1000) }])
      expect(said(await world.ask(name, { authorization, body }))).toEqual([400, 'bad_request']);
    expect(said(await world.ask(name, { authorization, body: '{', tenantNo: NO_POSITION }))).toEqual([
      400,
      'bad_request',
    ]);
  });
});

describe('the rows', () => {
  test('the contract’s paths, each with its profile', () => {
    const rows = Object.values(mfaRoutes).map((row) => [row.methods[0], row.path, 'rate' in row ? row.rate : null]);
    expect(rows).toEqual([
      ['POST', '/auth/mfa/totp/setup', 'auth_mfa'],
      ['POST', '/auth/mfa/totp/enable', 'auth_mfa'],
      ['POST', '/auth/mfa/totp/disable', 'auth_mfa'],
      ['POST', '/auth/mfa/recovery-codes', 'auth_mfa'],
    ]);
  });

  test('every refusal of the room is met by a row', () => {
    const used = new Set<string>(Object.values(mfaRoutes).flatMap((row) => row.refusals));
    expect(Object.keys(mfaRefusals).filter((code) => !used.has(code))).toEqual([]);
  });

  test('the end of a flow names whose factor it is: the user, also behind a key, and the caller that is refused', async () => {
    const { world, id, authorization } = place();
    await world.ask('setupTotp', { authorization });
    await world.ask('enableTotp', { authorization: keyOf(world, id), body: { code: 'wrong' } });
    await world.ask('setupTotp', { authorization: world.bearer([], { sub: 'unknown' }) });
    const ends = world.events.filter(({ action }) => action.endsWith('.after'));
    expect(ends.map(({ action, outcome, target }) => [action, outcome, target])).toEqual([
      ['auth.mfa_setup.after', 'ok', id],
      ['auth.mfa_enable.after', 'invalid_code', id],
      ['auth.mfa_setup.after', 'mfa_denied', 'unknown'],
    ]);
  });

  test('each flow tells when it begins and how it ended', async () => {
    const { world, authorization } = place();
    await world.ask('setupTotp', { authorization });
    await world.ask('enableTotp', { authorization, body: { code: 'wrong' } });
    expect(world.events.map(({ action, outcome }) => `${action} ${outcome}`.trim())).toEqual([
      'auth.mfa_setup.before',
      'auth.mfa_setup.after ok',
      'auth.mfa_enable.before',
      'auth.mfa_enable.after invalid_code',
    ]);
  });
});
