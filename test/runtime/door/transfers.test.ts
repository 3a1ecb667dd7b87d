import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { NO_PACE, Transfers, type Transfer } from '#runtime/door/transfers.ts';

const PACE = { windowMs: 30_000, bodyBytesPerSecondMin: 500, answerBytesPerSecondMin: 100 };
const TICK = limits.door.slowTickMs;

class Moving implements Transfer {
  moved = 0;
  waits = true;
  kept = 0;
  expired = 0;
  keep(): void {
    this.kept++;
  }
  expire(): void {
    this.expired++;
  }
}

/** Looks at the transfers every tick, as the timer of a door does, while `step` moves them. */
function run(ticks: number, at: { now: number }, transfers: Transfers, step: (tick: number) => void): void {
  for (let tick = 1; tick <= ticks; tick++) {
    at.now += TICK;
    step(tick);
    transfers.sweep();
  }
}

function opened(pace = PACE) {
  const at = { now: 0 };
  return { at, transfers: new Transfers(pace, () => at.now), one: new Moving() };
}

test('a caller that stands still for a part of a window, and makes up for it, goes on', () => {
  const { at, transfers, one } = opened();
  transfers.watchBody(one);
  run(40, at, transfers, (tick) => (one.moved += tick % 10 < 7 ? 0 : 5000));
  expect([one.expired, one.kept]).toEqual([0, 40]);
  transfers.forget(one);
});

test('below the floor for a window it ends, once; a body and an answer have floors of their own', () => {
  const { at, transfers, one } = opened();
  const other = new Moving();
  transfers.watchBody(one);
  transfers.watchAnswer(other);
  run(30, at, transfers, () => {
    one.moved += 200 * (TICK / 1000);
    other.moved += 200 * (TICK / 1000);
  });
  expect([one.expired, other.expired, one.kept]).toEqual([1, 0, 9]);
  transfers.forget(other);
});

test('a caller that this side has stopped loses nothing, and its window begins anew', () => {
  const { at, transfers, one } = opened();
  transfers.watchBody(one);
  one.waits = false;
  run(100, at, transfers, () => undefined);
  expect([one.expired, one.kept]).toEqual([0, 100]);
  one.waits = true;
  run(9, at, transfers, () => undefined);
  expect(one.expired).toBe(0);
  run(1, at, transfers, () => undefined);
  expect(one.expired).toBe(1);
});

test('while the thread of the door stands still no time of the callers passes, but for two ticks', () => {
  const { at, transfers, one } = opened();
  transfers.watchBody(one);
  at.now += 3_600_000;
  transfers.sweep();
  run(7, at, transfers, () => undefined);
  expect(one.expired).toBe(0);
  run(1, at, transfers, () => undefined);
  expect(one.expired).toBe(1);
});

test('without a pace nothing ends', () => {
  const { at, transfers, one } = opened(NO_PACE);
  transfers.watchBody(one);
  run(1000, at, transfers, () => undefined);
  expect([one.expired, one.kept]).toEqual([0, 1000]);
  transfers.forget(one);
});
