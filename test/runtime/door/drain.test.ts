/** When a door has nothing left to answer, over a clock that is moved by hand. */
import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { Drain } from '#runtime/door/drain.ts';

const QUIET_MS = limits.door.closeQuietMs;

/** A drain whose waits pass at once, each told to `during` first. */
function drained(during: (drain: Drain, no: number) => void = () => undefined) {
  let now = 1000;
  const waits: number[] = [];
  const drain: Drain = new Drain({
    now: () => now,
    passed: (ms) => {
      during(drain, waits.length);
      waits.push(ms);
      now += ms;
      return Promise.resolve();
    },
  });
  return { drain, waits, pass: (ms: number) => void (now += ms) };
}

test('a door without callers waits for nothing, and so does one whose last caller came long ago', async () => {
  const { drain, pass, waits } = drained();
  drain.retire();
  drain.enter();
  drain.leave();
  pass(QUIET_MS);
  await drain.settle(10_000);
  expect(waits).toEqual([]);
});

test('where a request came a moment ago it waits until none has come for that long', async () => {
  const { drain, pass, waits } = drained((one, no) => {
    if (no > 0) return;
    one.enter();
    one.leave();
  });
  drain.retire();
  drain.enter();
  drain.leave();
  pass(5);
  await drain.settle(10_000);
  expect(waits).toEqual([QUIET_MS - 5, 5]);
});

test('what is under way is waited for, for so long at most', async () => {
  const { drain } = drained();
  drain.enter();
  let isOver = false;
  const settled = drain.settle(10_000).then(() => (isOver = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect(isOver).toBe(false);
  drain.leave();
  await settled;
  drain.enter();
  await drain.settle(1);
});

test('a caller that connected while a long visit was under way has its moment', async () => {
  const { drain, pass, waits } = drained();
  drain.retire();
  drain.enter();
  const settled = drain.settle(10_000);
  pass(2 * limits.door.closeQuietMsMax);
  drain.enter();
  drain.leave();
  drain.leave();
  await settled;
  expect(waits).toEqual([QUIET_MS]);
});

test('where one asks again and again, as a balancer does on connections from before, it waits for its bound', async () => {
  let now = 1000;
  let waited = 0;
  const drain: Drain = new Drain({
    now: () => now,
    passed: (ms) => {
      waited += ms;
      now += ms - 1;
      drain.enter();
      drain.leave();
      now += 1;
      return Promise.resolve();
    },
  });
  drain.retire();
  drain.enter();
  drain.leave();
  await drain.settle(10_000);
  expect(waited).toBe(limits.door.closeQuietMsMax);
});

/** Callers of whom the kernel knows. */
function lastOf(waits: number[], expects: boolean[]) {
  const asked = { shutOut: 0, sinceMs: [] as number[] };
  const last = {
    shutOut: () => ++asked.shutOut > 0,
    waiting: () => waits.shift() ?? 0,
    expected: (sinceMs: number) => {
      asked.sinceMs.push(sinceMs);
      return expects.shift() ?? false;
    },
  };
  return { asked, last, waits };
}

test('it listens until all that wait have been accepted, and none can come meanwhile', async () => {
  const { drain, waits } = drained();
  const kernel = lastOf([2, 1, 0, 7], []);
  drain.last = kernel.last;
  await drain.accepted();
  expect(kernel.asked.shutOut).toBe(1);
  expect(kernel.waits).toEqual([7]);
  expect(waits).toEqual([]);
  expect(drain.ends).toBe(true);
});

test('while callers come those on a network have the time to finish their connection', async () => {
  const { drain, pass, waits } = drained();
  drain.last = lastOf([], []).last;
  drain.retire();
  drain.enter();
  drain.leave();
  pass(QUIET_MS - 1);
  await drain.accepted();
  expect(waits).toEqual([limits.door.handshakeMs]);
});

test('a connection that is never accepted keeps no door', async () => {
  let now = 1000;
  const drain = new Drain({ now: () => (now += 1), passed: () => Promise.resolve() });
  drain.last = { ...lastOf([], []).last, waiting: () => 1 };
  await drain.accepted();
  expect(now).toBeGreaterThan(limits.door.acceptMsMax);
});

test('a request is waited for while one is to be expected of a caller that has connected', async () => {
  const { drain, pass, waits } = drained();
  const kernel = lastOf([], [true, true, false]);
  drain.last = kernel.last;
  drain.retire();
  pass(300);
  await drain.settle(10_000);
  const { silentLookMs } = limits.door;
  expect(waits).toEqual([silentLookMs, silentLookMs]);
  expect(kernel.asked.sinceMs).toEqual([300, 300 + silentLookMs, 300 + 2 * silentLookMs]);
});
