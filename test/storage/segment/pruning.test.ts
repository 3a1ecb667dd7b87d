import { expect, test } from 'vitest';
import { covers, joinSpans, readPruning } from '#storage/segment/pruning.ts';

const pruningOf = (data: unknown) => readPruning({ source: 'audit', action: 'audit.pruned', data });

test('a record names all that was pruned; one of an earlier version its own segment', () => {
  const all = [{ first: 0, last: 8 }];
  expect(pruningOf({ first: 6, last: 8, all })).toEqual({ spans: all, isWhole: true });
  expect(pruningOf({ first: 6, last: 8, sha256: 'x' })).toEqual({ spans: [{ first: 6, last: 8 }], isWhole: false });
});

test.each([
  ['another source', { source: 'host', action: 'audit.pruned', data: { first: 0, last: 3 } }],
  ['another action', { source: 'audit', action: 'audit.recovered', data: { first: 0, last: 3 } }],
  ['no members', {}],
])('%s is no record of a pruning', (_, record) => {
  expect(readPruning(record)).toBeNull();
});

test.each([
  undefined,
  null,
  { first: 3 },
  { first: 3, last: 2 },
  { first: -1, last: 2 },
  { first: 0, last: 1.5 },
  { all: [{ first: '0', last: 3 }, null, 7] },
])('what is no span names nothing: %j', (data) => {
  expect(pruningOf(data)?.spans).toEqual([]);
});

test('spans that touch or overlap become one', () => {
  const spans = [
    { first: 6, last: 8 },
    { first: 0, last: 2 },
    { first: 3, last: 3 },
    { first: 1, last: 2 },
    { first: 5, last: 5 },
  ];
  const joined = joinSpans(spans);
  expect(joined).toEqual([
    { first: 0, last: 3 },
    { first: 5, last: 8 },
  ]);
  expect(covers(joined, { first: 0, last: 3 })).toBe(true);
  expect(covers(joined, { first: 6, last: 7 })).toBe(true);
  expect(covers(joined, { first: 3, last: 5 })).toBe(false);
  expect(covers(joined, { first: 4, last: 4 })).toBe(false);
  expect(covers([], { first: 0, last: 0 })).toBe(false);
});
