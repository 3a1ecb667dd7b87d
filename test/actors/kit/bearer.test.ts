import { randomBytes } from 'node:crypto';
import { fc } from '#test/kit/property.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { BearerCheck } from '#actors/kit/bearer.ts';
import { NO_SESSIONS } from '#actors/kit/session-gate.ts';
import { SimulatedClock } from '#test/kit/simulated-clock.ts';
import { mintServiceToken, mintToken } from '#actors/kit/token/mint.ts';
import { ringOf } from '#actors/kit/token/ring.ts';
import { newSigningKey } from '#actors/kit/token/signing-key.ts';
import type { TokenRing } from '#actors/kit/token-ring.ts';
import { parsePosition } from '#actors/protocol/position.ts';

const position = (key: string) => parsePosition(key)!;
const HERE = position('acme:atlas:dev:main');

let clock: SimulatedClock;
let context: { clock: SimulatedClock; ring: TokenRing };
let check: BearerCheck;

beforeEach(() => {
  clock = new SimulatedClock();
  context = { clock, ring: ringOf([newSigningKey({ clock, random: randomBytes })]) };
  check = new BearerCheck(context, 'data');
});

const honoured = (header: string, where = HERE) => check.check(header, where, NO_SESSIONS);

const service = (scope: string[], tenant = HERE.key) =>
  `Bearer ${mintServiceToken(context.ring, clock.now(), { keyId: 'K', tenant, scope, audience: null, lifetimeSeconds: 900 })}`;

const user = (claims: object = {}) =>
  `Bearer ${mintToken(context.ring, {
    iss: 'iam',
    sub: 'U',
    type: 'user',
    tenant: HERE.key,
    roles: ['tenant_user'],
    scope: ['*:*:*:*'],
    exp: '2999-01-01T00:00:00Z',
    ...claims,
  })}`;

describe('a service token', () => {
  test('is honoured where a grant covers the position, without roles', () => {
    expect(honoured(service(['acme:dev:atlas:main']))).toEqual({
      type: 'service',
      subject: 'apikey:K',
      tenant: HERE.key,
      roles: [],
      scope: ['acme:dev:atlas:main'],
      superadmin: false,
      sid: null,
      actor: null,
      readonly: false,
      issuedAtMs: clock.now(),
      expiresAtMs: clock.now() + 900_000,
    });
  });

  test('that was honoured does not count while the clock is set back to before its time', () => {
    const token = service(['acme:dev:atlas:main']);
    expect(honoured(token)).not.toBeNull();
    clock.advance(-60_000);
    expect(honoured(token)).toBeNull();
    clock.advance(60_000);
    expect(honoured(token)).not.toBeNull();
  });

  test('compares grants by named segment: the order customer:product:env:tenant does not match', () => {
    expect(honoured(service(['acme:atlas:dev:main']))).toBeNull();
  });

  test('gains nothing from its tenant claim, and counts elsewhere when a grant says so', () => {
    const token = service(['acme:*:other:*']);
    expect(honoured(token)).toBeNull();
    expect(honoured(token, position('acme:other:dev:x'))?.type).toBe('service');
    expect(honoured(token)).toBeNull();
  });

  test('any one covering grant is enough, broken ones cover nothing', () => {
    expect(honoured(service(['x:y:z:w', 'nonsense', '*:*:*:*']))).not.toBeNull();
    expect(honoured(service(['', '*', '*:*:*', '*:*:*:*:*', 'ACME:dev:atlas:main']))).toBeNull();
  });

  test('roles and other claims of a user do not count on it', () => {
    const forged = user({ type: 'service', roles: ['superadmin'], act: { sub: 'x' } });
    expect(honoured(forged)).toMatchObject({ roles: [], superadmin: false, actor: null });
  });
});

describe('a tenant that was made anew', () => {
  const made = () => ({ ...NO_SESSIONS, since: clock.now() });

  test('takes tokens that were issued since, by iat, and none of before', () => {
    const issued = () => user({ iat: new Date(clock.now()).toISOString() });
    const [before, token] = [issued(), service(['acme:dev:atlas:main'])];
    const without = user();
    expect([before, token, without].map((header) => check.check(header, HERE, NO_SESSIONS))).not.toContain(null);
    clock.advance(1);
    const gate = made();
    for (const header of [before, token, without]) expect(check.check(header, HERE, gate)).toBeNull();
    expect(check.check(issued(), HERE, gate)).toMatchObject({ type: 'user' });
    expect(check.check(service(['acme:dev:atlas:main']), HERE, gate)).toMatchObject({ type: 'service' });
  });

  test('a grant over all tenants counts there, given elsewhere; one of the tenant itself does not', () => {
    const elsewhere = service(['*:*:*:*'], 'superadmin:superadmin:superadmin:superadmin');
    const env = service(['acme:dev:atlas:*'], 'acme:atlas:dev:superadmin');
    const own = service(['acme:dev:atlas:*']);
    const other = service(['*:*:*:*', 'acme:dev:atlas:main'], HERE.key);
    clock.advance(1);
    const gate = made();
    for (const header of [elsewhere, env]) expect(check.check(header, HERE, gate)).toMatchObject({ type: 'service' });
    for (const header of [own, other]) expect(check.check(header, HERE, gate)).toBeNull();
  });
});

describe('the audience', () => {
  const minted = (audience: string | null) =>
    `Bearer ${mintServiceToken(context.ring, clock.now(), { keyId: 'K', tenant: HERE.key, scope: ['*:*:*:*'], audience, lifetimeSeconds: 900 })}`;

  test('is not looked at unless the platform says so', () => {
    for (const audience of [null, 'data', 'audit']) expect(honoured(minted(audience))).not.toBeNull();
  });

  test('where it is, a token that names a service counts there only, one that names none everywhere', () => {
    const data = new BearerCheck({ ...context, checksAudience: true }, 'data');
    const at = (header: string) => data.check(header, HERE, NO_SESSIONS);
    for (const header of [minted(null), minted('data'), user(), user({ aud: ['audit', 'data'] })])
      expect(at(header)).not.toBeNull();
    for (const header of [minted('audit'), user({ aud: 'audit' }), user({ aud: ['audit'] }), user({ aud: 7 })]) {
      expect(at(header)).toBeNull();
      expect(data.verify(header)).toBeNull();
    }
  });
});

describe('a user token', () => {
  test('counts at its own position only, with its roles; its scope gains nothing', () => {
    expect(honoured(user())).toMatchObject({ type: 'user', subject: 'U', roles: ['tenant_user'], scope: [] });
    expect(honoured(user(), position('acme:atlas:dev:other'))).toBeNull();
  });

  test('superadmin by role; an actor when impersonated', () => {
    const gate = { ...NO_SESSIONS, lives: () => true };
    const token = user({ roles: ['superadmin'], sid: 'S', act: { sub: 'O' } });
    expect(check.check(token, HERE, gate)).toMatchObject({ superadmin: true, actor: 'O', sid: 'S' });
  });

  test('a claim is_superadmin means nothing', () => {
    expect(honoured(user({ is_superadmin: true }))?.superadmin).toBe(false);
  });

  test.each([{ sid: 'S' }, { type: 'key' }, { type: undefined }, { sub: 7 }, { tenant: undefined }])(
    'with %j is none of ours',
    (claims) => {
      expect(honoured(user(claims))).toBeNull();
    },
  );
});

describe('the header', () => {
  test.each(['', 'Bearer', 'Bearer ', 'Basic abc', 'ApiKey abc', 'Bearerx', 'Token v4.public.x'])('%j', (header) => {
    expect(honoured(header)).toBeNull();
  });

  test('the case of the scheme does not count', () => {
    const token = service(['*:*:*:*']).slice('Bearer '.length);
    expect(honoured(`bearer ${token}`)).not.toBeNull();
    expect(honoured(`BEARER  ${token}`)).not.toBeNull();
  });
});

describe('the cache', () => {
  test('answers with the same principal, and not one millisecond past exp', () => {
    const token = service(['*:*:*:*']);
    const first = honoured(token);
    expect(honoured(token)).toBe(first);
    clock.advance(899_999);
    expect(honoured(token)).toBe(first);
    clock.advance(1);
    expect(honoured(token)).toBeNull();
  });

  test('a key taken out of the ring stops its cached tokens; one put back lets them count again', () => {
    const token = service(['*:*:*:*']);
    const before = context.ring;
    expect(honoured(token)).not.toBeNull();
    context.ring = ringOf([newSigningKey({ clock, random: randomBytes })]);
    expect(honoured(token)).toBeNull();
    context.ring = before;
    expect(honoured(token)).not.toBeNull();
  });

  test('a ring that was rebuilt from the same records still knows the tokens', () => {
    const records = [newSigningKey({ clock, random: randomBytes })];
    context.ring = ringOf(records);
    const token = service(['*:*:*:*']);
    expect(honoured(token)).not.toBeNull();
    context.ring = ringOf(records);
    expect(honoured(token)).not.toBeNull();
  });

  test('agrees with a check that has no memory, whatever the order of positions and tokens', () => {
    const segment = fc.constantFrom('a', 'b');
    const anywhere = fc.tuple(segment, segment, segment, segment).map((parts) => position(parts.join(':')));
    const part = fc.constantFrom('a', 'b', '*');
    const grant = fc.tuple(part, part, part, part).map((parts) => parts.join(':'));
    const tokens = fc.array(fc.array(grant, { maxLength: 2 }), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(tokens, fc.array(fc.tuple(fc.nat(2), anywhere), { maxLength: 12 }), (scopes, asks) => {
        const headers = scopes.map((scope) => service(scope));
        const remembering = new BearerCheck(context, 'data');
        for (const [index, where] of asks) {
          const header = headers[index % headers.length]!;
          const fresh = new BearerCheck(context, 'data').check(header, where, NO_SESSIONS);
          expect(remembering.check(header, where, NO_SESSIONS)).toEqual(fresh);
        }
      }),
      { numRuns: 30 },
    );
  });
});
