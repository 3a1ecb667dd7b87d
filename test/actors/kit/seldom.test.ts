import { expect, test } from 'vitest';
import { Seldom } from '#actors/kit/seldom.ts';

test('the first of a kind is logged, then one a minute, which says how many were left out', () => {
  const seldom = new Seldom();
  expect(seldom.leftOut('a', 0)).toBe(0);
  for (let ms = 1; ms <= 5; ms++) expect(seldom.leftOut('a', ms)).toBeNull();
  expect(seldom.leftOut('b', 5)).toBe(0);
  expect(seldom.leftOut('a', 59_999)).toBeNull();
  expect(seldom.leftOut('a', 60_000)).toBe(6);
  expect(seldom.leftOut('a', 120_000)).toBe(0);
});

test('callers that can name kinds fill no memory: the oldest is forgotten, and reported again', () => {
  const seldom = new Seldom();
  for (let kind = 0; kind <= 1000; kind++) expect(seldom.leftOut(`k${kind}`, kind)).toBe(0);
  expect(seldom.leftOut('k1', 1001)).toBeNull();
  expect(seldom.leftOut('k0', 1001)).toBe(0);
});
