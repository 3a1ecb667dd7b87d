/** The first call passes at once, later ones together; none is lost. */
import { expect, test } from 'vitest';
import { Gather } from '#actors/data/changes/gather.ts';
import { fc } from '#test/kit/property.ts';

test('any calls: each is followed by a run, and there is no more than one run in a time', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('call', 'later'), { maxLength: 50 }), (steps) => {
      let runs = 0;
      let unseen = 0;
      const timers: (() => void)[] = [];
      const gather = new Gather({
        ms: 10,
        after: (_ms, run) => void timers.push(run),
        run: () => {
          runs++;
          unseen = 0;
        },
      });
      for (const step of steps) {
        const before = runs;
        const waits = gather.isGathering;
        if (step === 'call') {
          unseen++;
          gather.call();
          expect(runs - before).toBe(waits ? 0 : 1);
        } else timers.shift()?.();
        expect(timers.length).toBeLessThanOrEqual(1);
        expect(unseen === 0 || timers.length === 1).toBe(true);
      }
      while (timers.length > 0) timers.shift()!();
      expect([unseen, gather.isGathering]).toEqual([0, false]);
    }),
  );
});

test('without a timer each call passes at once', () => {
  let runs = 0;
  const gather = new Gather({ ms: 10, after: undefined, run: () => void runs++ });
  for (let calls = 0; calls < 3; calls++) gather.call();
  expect([runs, gather.isGathering]).toEqual([3, false]);
});
