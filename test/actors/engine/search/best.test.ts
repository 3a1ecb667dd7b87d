import { expect, test } from 'vitest';
import { fc } from '#test/kit/property.ts';
import { testSeed } from '#test/kit/seed.ts';
import { Best, type Ranked } from '#actors/engine/search/best.ts';

const seed = testSeed();
const better = (a: Ranked, b: Ranked): number => b.rank - a.rank || a.document - b.document;

test(`rounds of the best give all documents, the best first (seed ${seed})`, () => {
  let several = 0;
  const property = fc.property(
    fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 200 }),
    fc.integer({ min: 1, max: 50 }),
    (ranks, room) => {
      const all = ranks.map((rank, document) => ({ rank, document }));
      const given: Ranked[] = [];
      for (let last: Ranked | null = null; ; several++) {
        const best: Best = new Best(room, last);
        for (const { rank, document } of all) best.offer(rank, document);
        for (const _ of best.sort());
        for (let n = 0; n < best.size; n++) given.push((last = best.at(n)));
        if (best.offered <= room) break;
      }
      expect(given).toEqual(all.toSorted(better));
    },
  );
  fc.assert(property, { numRuns: 300, seed });
  expect(several).toBeGreaterThan(100);
});
