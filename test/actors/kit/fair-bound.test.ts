/** Places of a thread are shared fairly by its owners. */
import { expect, test } from 'vitest';
import { FairBound } from '#actors/kit/fair-bound.ts';
import { fc } from '#test/kit/property.ts';

const MOST = { shared: 4, perOwner: 3 };
const owners = ['a', 'b', 'c', 'd', 'e', 'f'] as const;
const step = fc.record({ owner: fc.constantFrom(...owners), takes: fc.boolean() });

test('a holder of none gets one, no holder has more than its share, and what is given back is there again', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const bound = new FairBound<string>(MOST);
      const held = new Map<string, number>(owners.map((owner) => [owner, 0]));
      const all = (): number => [...held.values()].reduce((sum, one) => sum + one, 0);
      for (const { owner, takes } of steps) {
        const mine = held.get(owner)!;
        if (takes) {
          const isRoom = mine === 0 || (mine < MOST.perOwner && all() < MOST.shared);
          expect(bound.take(owner)).toBe(isRoom);
          if (isRoom) held.set(owner, mine + 1);
        } else if (mine > 0) {
          bound.give(owner);
          held.set(owner, mine - 1);
        }
      }
    }),
  );
});
