import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { LongWork } from '#runtime/copies/long-work.ts';

/** A thread whose slices take so many milliseconds, and whose callers have so many turns behind each. */
function thread(sliceMs: number, turnsAfter: (slice: number) => number) {
  const pauses: number[] = [];
  let [ms, turns] = [0, 0];
  const work = new LongWork({
    turns: () => turns,
    now: () => ms,
    pause: (pauseMs) => {
      pauses.push(pauseMs);
      return Promise.resolve();
    },
  });
  const run = async (slices: number): Promise<number[]> => {
    const id = work.begin(async (pace) => {
      for (let slice = 0; slice < slices; slice++) {
        ms += sliceMs;
        turns += turnsAfter(slice);
        await pace.rest();
      }
    });
    await work.look(id);
    return pauses;
  };
  return { run };
}

test('work rests behind each slice for some times as long as it took while callers have turns', async () => {
  const ms = 3 * limits.backup.restTimes;
  expect(await thread(3, () => 2).run(4)).toEqual([ms, ms, ms, ms]);
});

test('alone it lets the loop turn and goes on', async () => {
  expect(await thread(3, () => 0).run(50)).toEqual([]);
});

test('it rests no more when the callers are gone', async () => {
  expect(await thread(1, (slice) => (slice < 3 ? 1 : 0)).run(10)).toHaveLength(3);
});
