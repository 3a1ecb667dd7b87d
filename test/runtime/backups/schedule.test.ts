import { expect, test } from 'vitest';
import { Schedule } from '#runtime/backups/schedule.ts';

const EVERY = 3_600_000;
const RETRY = 600_000;
const scheduleOf = (last: number | null, first = 1000): Schedule => new Schedule(EVERY, RETRY, last, first);

test('without a set the first begins as soon as it may; with one an interval after it', () => {
  expect(scheduleOf(null).step(999)).toBe('wait');
  expect(scheduleOf(null).step(1000)).toBe('begin');
  const next = scheduleOf(500);
  expect(next.step(EVERY + 499)).toBe('wait');
  expect(next.step(EVERY + 500)).toBe('begin');
});

test('what a node that was down has missed is made up for once', () => {
  const late = scheduleOf(0, 100 * EVERY);
  expect(late.step(100 * EVERY)).toBe('begin');
  late.ended(true, 100 * EVERY);
  expect(late.step(100 * EVERY + 1)).toBe('wait');
  expect(late.step(101 * EVERY)).toBe('begin');
});

test('one that is due while another runs is skipped, and the next comes in its time', () => {
  const slow = scheduleOf(null);
  expect(slow.step(1000)).toBe('begin');
  expect(slow.step(1000 + EVERY)).toBe('skip');
  expect(slow.step(1001 + EVERY)).toBe('wait');
  slow.ended(true, 1500 + EVERY);
  expect(slow.step(999 + 2 * EVERY)).toBe('wait');
  expect(slow.step(1000 + 2 * EVERY)).toBe('begin');
});

test('a failed one is tried again soon; one that an operator makes counts as running', () => {
  const failing = scheduleOf(null);
  expect(failing.step(1000)).toBe('begin');
  failing.ended(false, 2000);
  expect(failing.step(2000 + RETRY - 1)).toBe('wait');
  expect(failing.step(2000 + RETRY)).toBe('begin');
  failing.ended(true, 2000 + RETRY);
  failing.began();
  expect(failing.step(1000 + EVERY + RETRY + 2000)).toBe('skip');
});

test('a set of the future puts off the next for one interval at most', () => {
  expect(scheduleOf(1e12, 1000).step(1000 + EVERY)).toBe('begin');
});
