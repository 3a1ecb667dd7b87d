import { fc } from '#test/kit/property.ts';
import { expect, test } from 'vitest';
import { median, percentile, timesOf } from '#bench/kit/stats.ts';

test('the median of odd and even samples', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(median([7])).toBe(7);
});

test('percentiles are interpolated, and the ends are the extremes', () => {
  const values = [10, 0, 30, 20, 40];
  expect(percentile(values, 0)).toBe(0);
  expect(percentile(values, 100)).toBe(40);
  expect(percentile(values, 90)).toBeCloseTo(36);
  expect(values).toEqual([10, 0, 30, 20, 40]);
});

test('no values have no percentile', () => {
  expect(() => median([])).toThrow('no values');
});

test('a percentile lies between the extremes and grows with p', () => {
  const sample = fc.array(fc.double({ noNaN: true, min: -1e9, max: 1e9 }), { minLength: 1, maxLength: 50 });
  const p = fc.integer({ min: 0, max: 100 });
  fc.assert(
    fc.property(sample, p, p, (values, a, b) => {
      const [low, high] = [percentile(values, Math.min(a, b)), percentile(values, Math.max(a, b))];
      expect(low).toBeGreaterThanOrEqual(Math.min(...values));
      expect(high).toBeLessThanOrEqual(Math.max(...values) + 1e-6);
      expect(low).toBeLessThanOrEqual(high + 1e-6);
    }),
  );
});

test('a thousandth is shown for a thousand or more', () => {
  const some = Array.from({ length: 999 }, (_, no) => no);
  expect(timesOf(some)).toEqual({ p50Ms: 499, p99Ms: percentile(some, 99) });
  expect(timesOf([...some, 999])).toMatchObject({ p999Ms: percentile([...some, 999], 99.9) });
});
