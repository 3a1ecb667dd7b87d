import { fc } from '#test/kit/property.ts';
import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { livingKeys } from '#actors/identity/operator/living-keys.ts';
import { timestamp } from '#actors/kit/clock.ts';
import type { KeyRecord } from '#actors/kit/token/ring.ts';

const START = Date.UTC(2026, 0, 1);
const LIFE_MS = (limits.identity.tokenSecondsMax + limits.identity.ringMarginSeconds) * 1000;

const key = (madeMs: number, issuer = 'iam'): KeyRecord => ({
  kid: `${issuer}-${madeMs}`,
  issuer,
  private_pem: '',
  created_at: timestamp(START + madeMs),
});
const kids = (records: readonly KeyRecord[], nowMs: number) => livingKeys(records, START + nowMs).map(({ kid }) => kid);

test('the signing key lives for ever, the one before it until its last token has expired', () => {
  const ring = [key(0), key(1000)];
  expect(kids(ring, 1000 + LIFE_MS - 1)).toEqual(['iam-0', 'iam-1000']);
  expect(kids(ring, 1000 + LIFE_MS)).toEqual(['iam-1000']);
  expect(kids([key(0)], 1e12)).toEqual(['iam-0']);
});

test('issuers have rings of their own', () => {
  expect(kids([key(0), key(5, 'other')], 5 + 2 * LIFE_MS)).toEqual(['iam-0', 'other-5']);
});

test('no token of the longest life outlives its key, however often the ring is rotated', () => {
  const gaps = fc.array(fc.integer({ min: 1, max: 2 * LIFE_MS }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(gaps, fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(7), (steps, part, at) => {
      let made = 0;
      const ring = steps.map((gap) => key((made += gap)));
      const signer = ring[Math.min(at, ring.length - 1)]!;
      const born = Date.parse(signer.created_at);
      const next = ring.find(({ created_at }) => created_at > signer.created_at);
      const minted = next === undefined ? born : born + part * (Date.parse(next.created_at) - born);
      const dies = minted + limits.identity.tokenSecondsMax * 1000;
      return livingKeys(ring, dies).includes(signer);
    }),
  );
});
