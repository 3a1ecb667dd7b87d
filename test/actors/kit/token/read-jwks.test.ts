import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { SimulatedClock } from '#test/kit/simulated-clock.ts';
import { paserkPid, rawPublicKey } from '#actors/kit/token/paserk.ts';
import { readJwks } from '#actors/kit/token/read-jwks.ts';
import { ringOf } from '#actors/kit/token/ring.ts';
import { mintToken } from '#actors/kit/token/mint.ts';
import { newSigningKey } from '#actors/kit/token/signing-key.ts';
import { verifyToken } from '#actors/kit/token/verify.ts';
import { limits } from '#config/limits.ts';

const clock = new SimulatedClock();
const record = newSigningKey({ clock, random: randomBytes });
const own = ringOf([record]);
const x = rawPublicKey(own.own.get(record.kid)!.key).toString('base64url');
const jwk = { kty: 'OKP', crv: 'Ed25519', x, kid: record.kid, use: 'sig', alg: 'EdDSA' };
const read = (...keys: unknown[]) => readJwks(JSON.stringify({ keys }));

describe('a JWKS of another issuer', () => {
  test('gives keys that verify its tokens, with a little room for its clock', () => {
    const ring = ringOf([], read(jwk));
    const mint = (nbf: number) =>
      mintToken(own, { iss: 'iam', sub: 's', exp: '2999-01-01T00:00:00Z', nbf: new Date(nbf).toISOString() });
    const now = clock.now();
    expect(verifyToken(mint(now), ring, now)).not.toBeNull();
    expect(verifyToken(mint(now + limits.jwks.skewMs), ring, now)).not.toBeNull();
    expect(verifyToken(mint(now + limits.jwks.skewMs + 1), ring, now)).toBeNull();
    expect(verifyToken(mint(now + 1), own, now)).toBeNull();
    expect(ring.signing).toBeNull();
    expect(ring.own.size).toBe(0);
  });

  test.each([
    ['another curve', { ...jwk, crv: 'X25519' }],
    ['another type', { ...jwk, kty: 'EC' }],
    ['for encryption', { ...jwk, use: 'enc' }],
    ['another algorithm', { ...jwk, alg: 'ES256' }],
    ['a name of its own', { ...jwk, kid: 'key-1' }],
    ["another key's name", { ...jwk, kid: paserkPid(randomBytes(32)) }],
    ['a short key', { ...jwk, x: x.slice(0, 20) }],
    ['padding', { ...jwk, x: `${x}=` }],
    ['no key', { kty: 'OKP', crv: 'Ed25519', kid: record.kid }],
    ['null', null],
    ['text', 'key'],
  ])('leaves out %s', (_what, key) => {
    expect(read(key, jwk)).toEqual([{ kid: record.kid, x }]);
  });

  test('names a key once, and takes at most 100', () => {
    expect(read(jwk, jwk)).toHaveLength(1);
    const many = Array.from({ length: 120 }, () => {
      const raw = randomBytes(32);
      return { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url'), kid: paserkPid(raw) };
    });
    expect(read(...many).map(({ kid }) => kid)).toEqual(many.slice(0, 100).map(({ kid }) => kid));
  });

  test.each(['', 'null', '[]', '{}', '{"keys":{}}', '<html>'])('%j is none', (text) => {
    expect(() => readJwks(text)).toThrow();
  });
});

describe('the keys that a ring trusts', () => {
  const other = newSigningKey({ clock, random: randomBytes });
  const ids = (keys: ReadonlyMap<string, unknown>) => [...keys.keys()];

  test('its own keys, none, or those that it is given; identity always knows its own', () => {
    const self = ringOf([record]);
    const none = ringOf([record], 'none');
    const remote = ringOf([other], [{ kid: record.kid, x }]);
    expect([ids(self.verification), ids(none.verification), ids(remote.verification)]).toEqual([
      [record.kid],
      [],
      [record.kid],
    ]);
    expect([ids(self.known), ids(none.known), ids(remote.known)]).toEqual([
      [record.kid],
      [record.kid],
      [record.kid, other.kid],
    ]);
    expect([ids(self.own), ids(none.own), ids(remote.own)]).toEqual([[record.kid], [record.kid], [other.kid]]);
  });

  test('a key that is trusted and our own is one object', () => {
    const ring = ringOf([record], [{ kid: record.kid, x }]);
    expect(ring.verification.get(record.kid)).toBe(ring.own.get(record.kid));
    expect(ring.known.get(record.kid)).toBe(ring.own.get(record.kid));
  });
});
