import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { SimulatedClock } from '#test/kit/simulated-clock.ts';
import { splitPublic } from '#actors/kit/token/paseto.ts';
import { ringOf } from '#actors/kit/token/ring.ts';
import { newSigningKey } from '#actors/kit/token/signing-key.ts';
import { mintUserToken, type UserTokenWish } from '#actors/kit/token/user-token.ts';
import { RESERVED_CLAIMS } from '#config/definitions/product-file.ts';

const clock = new SimulatedClock();
const ring = ringOf([newSigningKey({ clock, random: randomBytes })]);

function claimsOf(wish: Partial<UserTokenWish>): Record<string, unknown> {
  const whole = { userId: 'U', tenant: 'a:b:c:d', roles: ['r'], sid: null, act: null, product: { settings: {} } };
  const { token } = mintUserToken(ring, clock.now(), { ...whole, ...wish });
  return JSON.parse(splitPublic(token)!.message.toString()) as Record<string, unknown>;
}

const settled = (token: object) => ({ product: { settings: { token } } });

describe('a user token', () => {
  test('has the stated claims; sid and act where they apply', () => {
    expect(claimsOf({})).toEqual({
      iss: 'iam',
      sub: 'U',
      type: 'user',
      tenant: 'a:b:c:d',
      roles: ['r'],
      iat: '2026-01-01T00:00:00.000Z',
      nbf: '2026-01-01T00:00:00.000Z',
      exp: '2026-01-01T00:15:00.000Z',
    });
    expect(claimsOf({ sid: 'S', act: { sub: 'O' } })).toMatchObject({ sid: 'S', act: { sub: 'O' } });
    expect(() => claimsOf({ act: { sub: 'O' } })).toThrow('needs a session');
  });

  test("carries the product's claims, but never under a reserved name", () => {
    const reserved = Object.fromEntries([...RESERVED_CLAIMS].map((name) => [name, 'forged']));
    const claims = claimsOf(settled({ claims: { ...reserved, plan: 'gold', limits: { seats: 3 } } }));
    expect(claims).toMatchObject({ plan: 'gold', limits: { seats: 3 }, type: 'user', roles: ['r'] });
    expect(Object.values(claims)).not.toContain('forged');
    expect(RESERVED_CLAIMS.has('scope') && RESERVED_CLAIMS.has('is_superadmin') && RESERVED_CLAIMS.has('sid')).toBe(
      true,
    );
  });

  test.each([
    ['90s', '2026-01-01T00:01:30.000Z'],
    ['1h', '2026-01-01T01:00:00.000Z'],
    ['1.5s', '2026-01-01T00:00:01.000Z'],
    ['100000000h', '9999-12-31T23:59:59Z'],
  ])('lives for the token.expiry %s', (expiry, exp) => {
    expect(claimsOf(settled({ expiry }))['exp']).toBe(exp);
  });
});
