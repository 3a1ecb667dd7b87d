/** The stretch of rows that the grid can scroll over. */
import { expect, test } from 'vitest';
import { STRETCH_ROWS, stretchOf } from '#console/data/stretch.ts';

test('all rows belong to one stretch, the last one to the last', () => {
  expect(stretchOf(7, 100)).toEqual({ first: 0, length: 100 });
  expect(stretchOf(STRETCH_ROWS - 1, 2 * STRETCH_ROWS + 5)).toEqual({ first: 0, length: STRETCH_ROWS });
  expect(stretchOf(STRETCH_ROWS, 2 * STRETCH_ROWS + 5)).toEqual({ first: STRETCH_ROWS, length: STRETCH_ROWS });
  expect(stretchOf(2 * STRETCH_ROWS, 2 * STRETCH_ROWS + 5)).toEqual({ first: 2 * STRETCH_ROWS, length: 5 });
});

test('where rows went meanwhile it is one that is there', () => {
  expect(stretchOf(2 * STRETCH_ROWS, 3)).toEqual({ first: 0, length: 3 });
  expect(stretchOf(5, 0)).toEqual({ first: 0, length: 0 });
});
