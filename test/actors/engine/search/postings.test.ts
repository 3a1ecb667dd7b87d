import { expect, test } from 'vitest';
import { fc } from '#test/kit/property.ts';
import { testSeed } from '#test/kit/seed.ts';
import { BLOCK_DOCS, countIn, Postings, withoutPosting, withPosting } from '#actors/engine/search/postings.ts';

const seed = testSeed();
const place = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(0, BLOCK_DOCS - 1) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: BLOCK_DOCS - 1 }) },
);
const times = fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 70_000 }));
const change = fc.oneof(fc.record({ place, times }), fc.record({ place, times: fc.constant(0) }));

function readBack(block: Uint8Array | null): [number, number][] {
  if (block === null) return [];
  const { length, places, occurrences } = new Postings().read(block);
  return Array.from({ length }, (_, i) => [places[i]!, occurrences[i]!]);
}

test(`a block holds what was put into it, in order, whatever comes when (seed ${seed})`, () => {
  const seen = { appended: 0, inserted: 0, removed: 0, emptied: 0 };
  const property = fc.property(
    fc.oneof(fc.array(change, { maxLength: 6 }), fc.array(change, { maxLength: 60 })),
    (changes) => {
      let block: Uint8Array | null = null;
      const expected = new Map<number, number>();
      for (const one of changes) {
        if (one.times === 0) {
          if (block === null) continue;
          if (expected.delete(one.place)) seen.removed++;
          block = withoutPosting(block, one.place);
          if (block === null) seen.emptied++;
        } else {
          if (one.place > Math.max(-1, ...expected.keys())) seen.appended++;
          else seen.inserted++;
          expected.set(one.place, Math.min(one.times, 0xffff));
          block = withPosting(block ?? undefined, one.place, one.times);
        }
        expect(block === null ? 0 : countIn(block)).toBe(expected.size);
      }
      expect(readBack(block)).toEqual([...expected].toSorted(([a], [b]) => a - b));
    },
  );
  fc.assert(property, { numRuns: 500, seed });
  for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(20);
});

test('a word that every document has once takes one byte of each', () => {
  let block: Uint8Array | undefined;
  for (let no = 0; no < BLOCK_DOCS; no++) block = withPosting(block, no, 1);
  expect(block!.length).toBe(4 + BLOCK_DOCS);
});

test('bytes that are damaged give places of the block, and end', () => {
  const property = fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
    const { length, places } = new Postings().read(bytes);
    expect(length).toBeLessThanOrEqual(BLOCK_DOCS);
    for (let i = 0; i < length; i++) expect(places[i]).toBeLessThan(BLOCK_DOCS);
  });
  fc.assert(property, { numRuns: 500, seed });
});
