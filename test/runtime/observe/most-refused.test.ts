/** Which tenants were refused most, in a table that does not grow. */
import { expect, test } from 'vitest';
import { MostRefused } from '#runtime/observe/most-refused.ts';
import { fc } from '#test/kit/property.ts';

test('counts by tenant, most refused first, as many as are asked for', () => {
  const most = new MostRefused(4);
  for (const no of [1, 2, 2, 3, 3, 3]) most.count(no);
  expect(most.list(2)).toEqual([
    { no: 3, refused: 3, over: 0 },
    { no: 2, refused: 2, over: 0 },
  ]);
  expect(most.list(9)).toHaveLength(3);
});

test('a tenant without a place takes that of the least refused one, and says how much of its count may be of others', () => {
  const most = new MostRefused(2);
  for (const no of [1, 1, 1, 2, 2, 3]) most.count(no);
  expect(most.list(9)).toEqual([
    { no: 1, refused: 3, over: 0 },
    { no: 3, refused: 3, over: 2 },
  ]);
});

test('whatever comes: bounded, never too low, too high by at most what it says, and the heavy ones are there', () => {
  const max = 5;
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 300 }), (stream) => {
      const most = new MostRefused(max);
      for (const no of stream) most.count(no);
      const listed = most.list(1000);
      expect(listed.length).toBeLessThanOrEqual(max);
      const trueOf = (no: number): number => stream.filter((one) => one === no).length;
      for (const { no, refused, over } of listed) {
        expect(refused).toBeGreaterThanOrEqual(trueOf(no));
        expect(refused - over).toBeLessThanOrEqual(trueOf(no));
      }
      for (const no of new Set(stream))
        if (trueOf(no) > stream.length / max) expect(listed.map((one) => one.no)).toContain(no);
    }),
  );
});
