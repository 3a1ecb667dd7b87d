import { expect, test } from 'vitest';
import { intervalOf, speedRatio, verdictOf } from '#bench/compare/verdict.ts';

/** Numbers in [0, 1) that are the same in every run (mulberry32). */
function seeded(seed: number): () => number {
  let a = seed;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Normally distributed (Box and Muller). */
const normal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

test('a rate that falls and a time that rises are both slower', () => {
  expect(speedRatio({ base: 100, branch: 50 }, 'req/s')).toBe(0.5);
  expect(speedRatio({ base: 100, branch: 200 }, 'ms')).toBe(0.5);
  expect(speedRatio({ base: 100, branch: 200 }, 'MB')).toBe(0.5);
});

test('the interval by hand: logarithms −0.1, 0, 0.1 have mean 0 and error 0.1/√3, times 4.303', () => {
  const { ratio, low, high } = intervalOf([Math.exp(-0.1), 1, Math.exp(0.1)]);
  expect(ratio).toBeCloseTo(1, 12);
  expect(Math.log(high)).toBeCloseTo((4.303 * 0.1) / Math.sqrt(3), 12);
  expect(Math.log(low)).toBeCloseTo((-4.303 * 0.1) / Math.sqrt(3), 12);
});

test('one pair says nothing; no pair and no number are refused', () => {
  expect(intervalOf([0.5])).toEqual({ ratio: 0.5, low: 0, high: Infinity });
  for (const ratios of [[], [0], [NaN], [Infinity], [-1]]) expect(() => intervalOf(ratios)).toThrow('positive numbers');
});

test.each([2, 5, 8])(
  'of 2,000 comparisons of %i pairs about 95 in a hundred intervals hold the true ratio',
  (pairs) => {
    const random = seeded(pairs);
    let held = 0;
    for (let i = 0; i < 2000; i++) {
      const { low, high } = intervalOf(Array.from({ length: pairs }, () => 0.9 * Math.exp(0.05 * normal(random))));
      if (low <= 0.9 && 0.9 <= high) held++;
    }
    expect(held / 2000).toBeGreaterThan(0.93);
    expect(held / 2000).toBeLessThan(0.97);
  },
);

test.each([
  [{ ratio: 0.9, low: 0.88, high: 0.92 }, 'slower'],
  [{ ratio: 0.9, low: 0.75, high: 1.08 }, 'unsure'],
  [{ ratio: 0.97, low: 0.96, high: 0.98 }, 'same'],
  [{ ratio: 1, low: 0.98, high: 1.02 }, 'same'],
  [{ ratio: 1.2, low: 1.1, high: 1.3 }, 'faster'],
  [{ ratio: 0.5, low: 0, high: Infinity }, 'unsure'],
])('%j is %s at five per cent', (interval, verdict) => {
  expect(verdictOf(interval, 0.05)).toBe(verdict);
});
