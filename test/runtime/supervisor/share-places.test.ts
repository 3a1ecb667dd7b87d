/** Which node runs which places: each has its share, and a node that comes or goes moves little besides. */
import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { sharePlaces, shareOf, type Room } from '#runtime/supervisor/share-places.ts';
import { fc } from '#test/kit/property.ts';

const { placesMax, placesMin } = limits.cluster;

const rooms = fc.uniqueArray(fc.record({ id: fc.uuid(), weight: fc.integer({ min: 1, max: 32 }) }), {
  selector: ({ id }) => id,
  minLength: 1,
  maxLength: 12,
});
const places = fc.integer({ min: placesMin, max: placesMax });

const nowhere = (count: number): null[] => Array.from({ length: count }, () => null);

/** How many places each node has. */
const counts = (placed: readonly string[]): Map<string, number> =>
  new Map([...Map.groupBy(placed, (id) => id)].map(([id, own]) => [id, own.length]));

const moved = (before: readonly string[], after: readonly string[]): number[] =>
  [...before.keys()].filter((place) => before[place] !== after[place]);

function expectShared(placed: readonly string[], all: readonly Room[]): void {
  const has = counts(placed);
  for (const room of all)
    expect(has.get(room.id) ?? 0).toBeLessThanOrEqual(Math.ceil(shareOf(room, all, placed.length)));
  expect([...has.keys()].every((id) => all.some((room) => room.id === id))).toBe(true);
}

test('no node has more than its share by weight, whatever was before, and what is shared out stays', () => {
  fc.assert(
    fc.property(rooms, places, (all, count) => {
      const placed = sharePlaces(all, nowhere(count));
      expectShared(placed, all);
      expect(sharePlaces(all, placed)).toEqual(placed);
      expect(sharePlaces(all.toReversed(), placed)).toEqual(placed);
    }),
  );
});

test('a node that goes moves its own places alone, and one that comes moves its share, and at most a place for each other node', () => {
  fc.assert(
    fc.property(rooms, places, fc.nat(), (all, count, which) => {
      fc.pre(all.length > 1);
      const one = all[which % all.length]!;
      const others = all.filter((room) => room !== one);
      const with_ = sharePlaces(all, nowhere(count));
      const without = sharePlaces(others, with_);
      expectShared(without, others);
      expect(moved(with_, without)).toEqual([...with_.keys()].filter((place) => with_[place] === one.id));
      const back = sharePlaces(all, without);
      expectShared(back, all);
      // Parts of places are rounded once for each node.
      expect(moved(without, back).length).toBeLessThan(shareOf(one, all, count) + all.length);
    }),
  );
});

test('a place that is fixed stays at its node', () => {
  fc.assert(
    fc.property(rooms, places, fc.nat(), (all, count, which) => {
      const home = all[which % all.length]!.id;
      const placed = sharePlaces(
        all,
        Array.from({ length: count }, () => home),
        new Set([0]),
      );
      expect(placed[0]).toBe(home);
      expectShared(placed, all);
    }),
  );
});

test('without nodes nothing can be shared out', () => {
  expect(() => sharePlaces([], [null])).toThrow('no node runs places');
});

test('a thousand nodes have a million tenants in even parts, in less than a second', () => {
  const all = Array.from({ length: 1000 }, (_, no) => ({ id: `life of node ${no}`, weight: 4 }));
  const count = 4096;
  const began = performance.now();
  const placed = sharePlaces(all, nowhere(count));
  const grown = sharePlaces([...all, { id: 'life of another one', weight: 4 }], placed);
  expect(performance.now() - began).toBeLessThan(10_000); // one second where nothing else runs
  const tenants = new Map<string, number>();
  for (let tenant = 0; tenant < 1_000_000; tenant++) {
    const id = placed[tenant % count]!;
    tenants.set(id, (tenants.get(id) ?? 0) + 1);
  }
  expect(tenants.size).toBe(1000);
  expect(Math.max(...tenants.values())).toBeLessThanOrEqual(1_000_000 * (5 / count) + 5);
  expect(moved(placed, grown).length).toBeLessThanOrEqual(5);
});
