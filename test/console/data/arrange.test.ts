/** The order of columns: one is put at the place of another, and names that came or went since are no harm. */
import { expect, test } from 'vitest';
import { ordered, placed } from '#console/data/arrange.ts';

const LIST = ['a', 'b', 'c', 'd'];

test.for([
  ['a', 'b', 'bacd'],
  ['a', 'd', 'bcda'],
  ['d', 'a', 'dabc'],
  ['c', 'b', 'acbd'],
  ['c', 'c', 'abcd'],
  ['x', 'b', 'abcd'],
  ['b', 'x', 'abcd'],
] as const)('%s at the place of %s: %s', ([name, at, expected]) => {
  expect(placed(LIST, name, at).join('')).toBe(expected);
});

test('fields that the order does not name come behind it, and names of no field are left out', () => {
  expect(ordered(LIST, [])).toEqual(LIST);
  expect(ordered(LIST, ['d', 'gone', 'b'])).toEqual(['d', 'b', 'a', 'c']);
});
