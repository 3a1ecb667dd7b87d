import { expect, test } from 'vitest';
import { croppedT, T_MAX, welchT } from '#bench/kit/welch.ts';

/** Numbers from 0 to 1 that look random and are the same in every run. */
function* noise(seed: number): Generator<number> {
  for (let state = seed; ;) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    yield state / 2_147_483_648;
  }
}

function sample(count: number, seed: number, add = 0): number[] {
  const values = noise(seed);
  return Array.from({ length: count }, () => values.next().value! + add);
}

test('a worked example: means 3 and 6, variances 2.5 and 10, so −3 / √(0.5 + 2)', () => {
  expect(welchT([1, 2, 3, 4, 5], [2, 4, 6, 8, 10])).toBeCloseTo(-3 / Math.sqrt(2.5), 12);
});

test('two samples of one kind are not told apart; a small shift of many values is', () => {
  expect(Math.abs(welchT(sample(20_000, 1), sample(20_000, 2)))).toBeLessThan(T_MAX);
  expect(Math.abs(welchT(sample(20_000, 1), sample(20_000, 2, 0.02)))).toBeGreaterThan(T_MAX);
});

test('a shift that pauses hide is found without them', () => {
  const paused = (values: number[], every: number) =>
    values.map((value, at) => (at % every === 0 ? value + 500 : value));
  const [a, b] = [paused(sample(20_000, 1), 97), paused(sample(20_000, 2, 0.05), 101)];
  expect(Math.abs(welchT(a, b))).toBeLessThan(T_MAX);
  expect(Math.abs(croppedT(a, b))).toBeGreaterThan(T_MAX);
});

test('values without spread differ beyond every bound, or not at all; one value has no variance', () => {
  expect(welchT([1, 1], [2, 2])).toBe(-Infinity);
  expect(welchT([1, 1], [1, 1])).toBe(0);
  expect(() => welchT([1], [1, 2])).toThrow('two values');
});
