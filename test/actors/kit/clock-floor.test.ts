/** The floor of a node's clock: what a clock that was set back, or that jumped ahead, does to it. */
import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { ClockFloor } from '#actors/kit/clock-floor.ts';

const { behindMsMax, jumpMs, standsMs } = limits.clock;
const HOUR = 60 * 60_000;
const BEGAN = Date.UTC(2026, 5, 1);

test('a clock that goes right is the time; the floor follows it', () => {
  const floor = new ClockFloor(0, BEGAN, 0);
  expect(floor.look(BEGAN + HOUR, HOUR)).toEqual({ offsetMs: 0, behindMs: 0 });
  expect(floor.at(2 * HOUR)).toBe(BEGAN + 2 * HOUR);
});

test('a clock that was set back while the node was down, or while it runs, stands on the floor until it has caught up', () => {
  const down = new ClockFloor(BEGAN, BEGAN - 2 * HOUR, 0);
  expect(down.look(BEGAN - 2 * HOUR, 0)).toEqual({ offsetMs: 2 * HOUR, behindMs: 2 * HOUR });
  // Time goes on from there: what is made now ends as it should.
  expect(down.look(BEGAN - HOUR, HOUR)).toEqual({ offsetMs: 2 * HOUR, behindMs: 2 * HOUR });
  const running = new ClockFloor(0, BEGAN, 0);
  expect(running.look(BEGAN - 10_000, 1000).offsetMs).toBe(11_000);
  expect(running.look(BEGAN + 5000, 5000)).toEqual({ offsetMs: 0, behindMs: 0 });
});

test('a floor that is too far ahead is not believed: it may come from a clock that was wrong', () => {
  const floor = new ClockFloor(BEGAN + behindMsMax + 1, BEGAN, 0);
  expect(floor.look(BEGAN, 0)).toEqual({ offsetMs: 0, behindMs: behindMsMax + 1 });
  expect(new ClockFloor(BEGAN + behindMsMax, BEGAN, 0).look(BEGAN, 0).offsetMs).toBe(behindMsMax);
});

test('a jump ahead is taken for the time at once, and becomes the floor only when it has stood for a while', () => {
  const floor = new ClockFloor(0, BEGAN, 0);
  const far = BEGAN + 100 * HOUR;
  expect(floor.look(far, 1000)).toEqual({ offsetMs: 0, behindMs: 0 });
  expect(floor.at(1000)).toBe(BEGAN + 1000);
  // It was a mistake that was put right: nothing is left of it.
  expect(floor.look(BEGAN + 2000, 2000)).toEqual({ offsetMs: 0, behindMs: 0 });
  floor.look(far, 3000);
  floor.look(far + standsMs - 1, 3000 + standsMs - 1);
  expect(floor.at(3000 + standsMs - 1)).toBe(BEGAN + 3000 + standsMs - 1);
  floor.look(far + standsMs, 3000 + standsMs);
  expect(floor.at(3000 + standsMs)).toBe(far + standsMs);
});

test('a step within the bound of a jump is followed at once', () => {
  const floor = new ClockFloor(0, BEGAN, 0);
  floor.look(BEGAN + jumpMs, 0);
  expect(floor.at(0)).toBe(BEGAN + jumpMs);
});
