/** The scrubber's pace: its share of the thread, requests first, an end at once. */
import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { ScrubPace, ScrubStopped } from '#runtime/scrub/pace.ts';

function paced(percent: number, busyTimes = 0) {
  const world = { now: 0, slept: [] as number[], loops: 0, busy: busyTimes };
  const pace = new ScrubPace({
    percent,
    fine: () => world.now,
    sleep: (ms) => {
      world.slept.push(ms);
      world.now += ms;
      return Promise.resolve();
    },
    yieldLoop: () => {
      world.loops++;
      return Promise.resolve();
    },
    isBusy: () => world.busy-- > 0,
  });
  return { world, pace };
}

const { sliceMs, busyMs, busyTimesMax } = limits.scrub;

test('a slice is over after its time; what rests it is followed by makes its share the declared one', async () => {
  const { world, pace } = paced(2);
  let worked = 0;
  for (let i = 0; i < 100; i++) {
    expect(pace.isOver).toBe(false);
    world.now += sliceMs;
    worked += sliceMs;
    expect(pace.isOver).toBe(true);
    await pace.rest();
  }
  expect(worked / world.now).toBeCloseTo(0.02, 5);
});

test('a slice that a slow disk made longer is followed by a longer rest', async () => {
  const { world, pace } = paced(10);
  world.now += 40;
  await pace.rest();
  expect(world.slept).toEqual([360]);
});

test('short rests add up; a hurry puts them off, and lets the loop go round all the same', async () => {
  const { world, pace } = paced(50);
  for (let i = 0; i < 4; i++) {
    world.now += 1;
    await pace.rest();
  }
  expect([world.slept, world.loops]).toEqual([[], 4]);
  for (let i = 0; i < 10; i++) {
    world.now += 1;
    await pace.rest(true);
  }
  expect([world.slept, world.loops]).toEqual([[], 14]);
  world.now += 1;
  await pace.rest();
  expect(world.slept).toEqual([15]);
});

test('while requests wait the next slice waits, and not for ever', async () => {
  const some = paced(50, 3);
  await some.pace.rest();
  expect(some.world.slept).toEqual([busyMs, busyMs, busyMs]);
  const always = paced(50, Infinity);
  await always.pace.rest();
  expect(always.world.slept).toHaveLength(busyTimesMax);
});

test('stopped, it ends at its next rest and waits for nothing', async () => {
  const { world, pace } = paced(2, Infinity);
  world.now += 5;
  pace.stop();
  await expect(pace.rest()).rejects.toThrow(ScrubStopped);
  await pace.sleep(1000);
  expect(world.slept).toEqual([]);
});
