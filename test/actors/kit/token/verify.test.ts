import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { SimulatedClock } from '#test/kit/simulated-clock.ts';
import { mintServiceToken, mintToken } from '#actors/kit/token/mint.ts';
import { signPublic, splitPublic } from '#actors/kit/token/paseto.ts';
import { ringOf } from '#actors/kit/token/ring.ts';
import { newSigningKey } from '#actors/kit/token/signing-key.ts';
import { verifyToken } from '#actors/kit/token/verify.ts';

const clock = new SimulatedClock();
const record = newSigningKey({ clock, random: randomBytes });
const stranger = ringOf([newSigningKey({ clock, random: randomBytes })]);
const ring = ringOf([record]);
const wish = { keyId: 'K', tenant: 'a:b:c:d', scope: ['a:c:b:*'], audience: null, lifetimeSeconds: 900 };
const at = (offsetMs: number) => clock.now() + offsetMs;
const mint = () => mintServiceToken(ring, clock.now(), wish);

beforeEach(() => clock.advance(1));

describe('a minted service token', () => {
  test('has exactly the stated claims, and a footer with the kid', () => {
    const parts = splitPublic(mint())!;
    const claims = JSON.parse(parts.message.toString()) as Record<string, unknown>;
    expect(Object.keys(claims)).toEqual(['iss', 'sub', 'type', 'tenant', 'scope', 'iat', 'nbf', 'exp']);
    expect(claims).toMatchObject({
      iss: 'iam',
      sub: 'apikey:K',
      type: 'service',
      tenant: 'a:b:c:d',
      scope: ['a:c:b:*'],
    });
    expect(Date.parse(claims['exp'] as string) - Date.parse(claims['iat'] as string)).toBe(900_000);
    expect(claims['nbf']).toBe(claims['iat']);
    expect(JSON.parse(parts.footer.toString())).toEqual({ kid: record.kid });
  });

  test('has an audience only when one was named', () => {
    const token = mintServiceToken(ring, clock.now(), { ...wish, audience: 'data' });
    expect(verifyToken(token, ring, clock.now())?.claims['aud']).toBe('data');
  });

  test('is valid from the instant of its making until just before its end', () => {
    const token = mint();
    expect(verifyToken(token, ring, at(0))?.expiresAtMs).toBe(at(900_000));
    expect(verifyToken(token, ring, at(899_999))).not.toBeNull();
    expect(verifyToken(token, ring, at(900_000))).toBeNull();
    expect(verifyToken(token, ring, at(-1))).toBeNull();
  });

  test('cannot be minted without a signing key', () => {
    expect(() => mintServiceToken(ringOf([]), clock.now(), wish)).toThrow('no signing key');
  });
});

describe('refused', () => {
  const exp = '2999-01-01T00:00:00Z';
  const claims = { iss: 'iam', sub: 's', exp };
  const verified = (token: string) => verifyToken(token, ring, clock.now());
  const signed = (message: string, footer: string) =>
    verified(signPublic(ring.signing!.key, Buffer.from(message), Buffer.from(footer)));
  const kid = JSON.stringify({ kid: record.kid });

  test('the shape that the next cases vary is itself accepted', () => {
    expect(verified(mintToken(ring, claims))).not.toBeNull();
    expect(signed(JSON.stringify(claims), kid)).not.toBeNull();
  });

  test('a key that the ring does not know, and a kid that belongs to another key', () => {
    expect(verified(mintToken(stranger, claims))).toBeNull();
    expect(verified(mintToken({ ...stranger, signing: { ...stranger.signing!, kid: record.kid } }, claims))).toBeNull();
  });

  test.each(['', '{}', '[]', '"kid"', 'kid', '{"kid":7}', `{"kid":"${'x'.repeat(600)}"}`])('footer %j', (footer) => {
    expect(signed(JSON.stringify(claims), footer)).toBeNull();
  });

  test.each(['', '[]', 'null', '"x"', '{', '7'])('message %j', (message) => {
    expect(signed(message, kid)).toBeNull();
  });

  test.each([
    ['another issuer', { ...claims, iss: 'other' }],
    ['no issuer', { sub: 's', exp }],
    ['no expiry', { iss: 'iam', sub: 's' }],
    ['a numeric expiry', { ...claims, exp: 4102444800 }],
    ['an expiry without a zone', { ...claims, exp: '2999-01-01T00:00:00' }],
    ['an expiry that is no date', { ...claims, exp: '2999-13-45T99:00:00Z' }],
    ['a start to come', { ...claims, nbf: '2998-01-01T00:00:00Z' }],
    ['a start that cannot be read', { ...claims, nbf: 'soon' }],
    ['a null start', { ...claims, nbf: null }],
  ])('%s', (_what, changed) => {
    expect(verified(mintToken(ring, changed))).toBeNull();
  });

  test.each(['', 'v4.public.', 'v4.local.AAAA', 'v3.public.AAAA', 'v2.public.AAAA', 'a.b.c', '.', 'v4.public..'])(
    'token %j',
    (token) => {
      expect(verified(token)).toBeNull();
    },
  );
});
