import { fc } from '#test/kit/property.ts';
import { SignJWT, createLocalJWKSet, jwtVerify } from 'jose';
import { expect, test } from 'vitest';
import { jwtKeyOf, mintJwt, verifyJwt, type JwtClaims } from '#actors/vault/pki/jwt.ts';
import { parseSpiffeId } from '#actors/vault/pki/spiffe-id.ts';
import { newKey } from './authority.ts';

const NOW = Date.UTC(2026, 5, 1);
const seconds = NOW / 1000;
const claims: JwtClaims = {
  iss: 'skep',
  sub: 'spiffe://hive/a',
  aud: 'db',
  iat: seconds,
  nbf: seconds,
  exp: seconds + 300,
};
const key = jwtKeyOf(newKey().privateKey);
const keyOf = (kid: string) => (kid === key.jwk.kid ? key.open : undefined);
const check = (token: string, nowMs = NOW, audience?: string) => verifyJwt(keyOf, token, { nowMs, audience });

test('jose verifies our token with our key set', async () => {
  const set = createLocalJWKSet({ keys: [key.jwk] });
  const { payload, protectedHeader } = await jwtVerify(mintJwt(key, claims), set, {
    audience: 'db',
    issuer: 'skep',
    algorithms: ['ES256'],
    currentDate: new Date(NOW),
  });
  expect(payload).toEqual(claims);
  expect(protectedHeader).toEqual({ alg: 'ES256', typ: 'JWT', kid: key.jwk.kid });
});

test('we verify a token of jose, with several audiences', async () => {
  const token = await new SignJWT({ role: 'x' })
    .setProtectedHeader({ alg: 'ES256', kid: key.jwk.kid })
    .setSubject('a')
    .setAudience(['db', 'queue'])
    .setExpirationTime(seconds + 10)
    .sign(key.key);
  expect(check(token, NOW, 'queue')).toMatchObject({ role: 'x', sub: 'a' });
  expect(check(token, NOW, 'other')).toBe('audience');
});

test('time counts against the clock, with five seconds of leeway', () => {
  const token = mintJwt(key, claims);
  expect(check(token, NOW + 300_000 + 4999)).toEqual(claims);
  expect(check(token, NOW + 300_000 + 5000)).toBe('expired');
  expect(check(token, NOW - 5000)).toEqual(claims);
  expect(check(token, NOW - 5001)).toBe('not_yet');
});

test('another key, none, and "none" are refused', () => {
  const other = jwtKeyOf(newKey().privateKey);
  expect(check(mintJwt(other, claims))).toBe('unknown_key');
  const forged = mintJwt({ ...other, jwk: key.jwk }, claims);
  expect(check(forged)).toBe('signature');
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  expect(check(`${part({ alg: 'none' })}.${part(claims)}.`)).toBe('malformed');
  expect(check(`${part({ alg: 'HS256', kid: key.jwk.kid })}.${part(claims)}.AA`)).toBe('malformed');
  expect(check(`${part({ alg: 'ES256', kid: key.jwk.kid, crit: ['b64'] })}.${part(claims)}.AA`)).toBe('malformed');
  const unaddressed: unknown = { sub: 'a', exp: seconds + 300 };
  expect(check(mintJwt(key, unaddressed as JwtClaims))).toBe('malformed');
});

test('no other character of a token verifies, whatever its place', () => {
  const token = mintJwt(key, claims);
  fc.assert(
    fc.property(fc.nat(token.length - 1), fc.constantFrom('A', 'b', '.', '-', '~', 'é', '='), (at, char) => {
      const changed = token.slice(0, at) + char + token.slice(at + 1);
      if (changed !== token) expect(typeof check(changed)).toBe('string');
    }),
    { numRuns: 500 },
  );
});

test.each([
  ['spiffe://hive.local/service/api', { trustDomain: 'hive.local', path: '/service/api' }],
  ['spiffe://hive', { trustDomain: 'hive', path: '' }],
  ['spiffe://hive/', null],
  ['spiffe://hive/a//b', null],
  ['spiffe://hive/../b', null],
  ['spiffe://Hive/a', null],
  ['spiffe://hive:80/a', null],
  ['https://hive/a', null],
  ['spiffe:///a', null],
])('SPIFFE ID %s', (text, parts) => {
  expect(parseSpiffeId(text)).toEqual(parts);
});
