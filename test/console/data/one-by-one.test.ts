/** Writes one after the other: what is refused of one row, what ends them all, and what is told when a reader stops them. */
import { expect, test } from 'vitest';
import { oneByOne, restOf } from '#console/data/one-by-one.ts';

const fails = (status: number): Promise<never> => Promise.reject(Object.assign(new Error('refused'), { status }));
const always = (): boolean => true;

test('a row that is refused does not keep others from being written', async () => {
  const { done, refused, left, halt } = await oneByOne(
    [1, 2, 3],
    (item) => (item === 2 ? fails(422) : Promise.resolve()),
    always,
  );
  expect({ done, refused: refused.map(({ item }) => item), left, halt }).toEqual({
    done: [1, 3],
    refused: [2],
    left: [],
    halt: null,
  });
});

test.for([0, 401, 429, 500, 503])('%i ends them: the rest is not begun, and told', async (status) => {
  const { done, refused, left, halt } = await oneByOne(
    [1, 2, 3, 4],
    (item) => (item === 2 ? fails(status) : Promise.resolve()),
    always,
  );
  expect({ done, refused: refused.map(({ item }) => item), left }).toEqual({ done: [1], refused: [2], left: [3, 4] });
  expect(halt).toBe(refused[0]!.error);
});

test('a reader who stops them hears what was done and what was not begun', async () => {
  const told: number[] = [];
  const { done, left, halt } = await oneByOne(
    [1, 2, 3],
    () => Promise.resolve(),
    (so) => told.push(so.left.length) < 2,
  );
  expect({ done, left, halt, told }).toEqual({ done: [1, 2], left: [3], halt: null, told: [2, 1] });
});

test('another try takes what was refused, as it was told to be, and what was not begun; what was done counts on', async () => {
  const first = await oneByOne([1, 2, 3, 4], (item) => (item < 3 ? Promise.resolve() : fails(503)), always, []);
  const rest = restOf(first, (item) => item * 10);
  expect(rest).toEqual([30, 4]);
  const second = await oneByOne(rest, () => Promise.resolve(), always, first.done);
  expect(second).toEqual({ done: [1, 2, 30, 4], refused: [], left: [], halt: null });
});
