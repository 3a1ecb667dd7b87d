import { expect, test } from 'vitest';
import { ratioOf, reached, targetText, type Figure, type Target } from '#bench/kit/figure.ts';

const figure = (change: Partial<Figure>): Figure => ({ name: 'x', unit: 'req/s', value: 100, errors: 0, ...change });
const half: Target = { of: 'ratio', bound: 'min', than: 0.5 };

test('the ratio is the median of the pairs, not the ratio of medians', () => {
  const pairs = [
    { ceiling: 100_000, value: 60_000 },
    { ceiling: 50_000, value: 20_000 },
    { ceiling: 140_000, value: 70_000 },
  ];
  expect(ratioOf(pairs)).toBe(0.5);
});

test('a lower bound is reached from itself on, an upper one up to itself', () => {
  expect(reached(figure({ ratio: 0.5, target: half }))).toBe(true);
  expect(reached(figure({ ratio: 0.499, target: half }))).toBe(false);
  const memory: Target = { of: 'value', bound: 'max', than: 400 };
  expect(reached(figure({ value: 400, target: memory }))).toBe(true);
  expect(reached(figure({ value: 401, target: memory }))).toBe(false);
});

test('without a target nothing is reached or missed; with errors or without the measure nothing is reached', () => {
  expect(reached(figure({}))).toBeNull();
  expect(reached(figure({ ratio: 0.9, errors: 1, target: half }))).toBe(false);
  expect(reached(figure({ target: half }))).toBe(false);
});

test.each<[Target, Figure['unit'], string]>([
  [half, 'req/s', '≥ 0.5 ×'],
  [{ ...half, than: 0.14, aim: 0.18 }, 'req/s', '≥ 0.14 × (aim 0.18)'],
  [{ of: 'p50Ms', bound: 'max', than: 1.43 }, 'req/s', 'p50 ≤ 1.43 ms'],
  [{ of: 'value', bound: 'max', than: 2000 }, 'ms', '≤ 2 s'],
  [{ of: 'value', bound: 'max', than: 400 }, 'MB', '≤ 400 MB'],
])('a target in words', (target, unit, text) => {
  expect(targetText(target, unit)).toBe(text);
});
