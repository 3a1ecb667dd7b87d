import { expect, test } from 'vitest';
import { SimulatedClock } from '#test/kit/simulated-clock.ts';
import { isUlid } from '#config/values/id.ts';
import { IdSource, ulidMs } from '#actors/kit/id.ts';

test('ids are ULIDs and rise, within one millisecond and when the clock steps back', () => {
  const clock = new SimulatedClock();
  const ids = new IdSource(clock);
  let last = '';
  for (let i = 0; i < 10_000; i++) {
    if (i % 100 === 0) clock.advance(i % 300 === 0 ? -5000 : 1);
    const id = ids.next();
    expect(isUlid(id)).toBe(true);
    expect(id > last).toBe(true);
    last = id;
  }
});

test('the time of an id is its first ten characters', () => {
  const clock = new SimulatedClock(0);
  expect(new IdSource(clock).next().slice(0, 10)).toBe('0000000000');
  clock.set(2 ** 48 - 1);
  expect(new IdSource(clock).next().slice(0, 10)).toBe('7ZZZZZZZZZ');
});

test('a clock that begins at 0, or before, rises too, and the machine’s clock is never asked', () => {
  const clock = new SimulatedClock(0);
  const ids = new IdSource(clock);
  const made = [0, 0, -5, 1, 0, 1, 2, 0].map((ms) => {
    clock.set(ms);
    return ids.next();
  });
  expect(made.map(ulidMs)).toEqual([0, 0, 0, 1, 1, 1, 2, 2]);
  expect(made.toSorted()).toEqual(made);
  expect(new Set(made)).toHaveLength(made.length);
});

test('the first random char leaves room above it, and all of it is random', () => {
  const clock = new SimulatedClock();
  const tails = Array.from({ length: 2000 }, () => {
    clock.advance(1);
    return new IdSource(clock).next().slice(10);
  });
  const seen = Array.from({ length: 16 }, (_, at) => new Set(tails.map((tail) => tail[at])).size);
  expect(seen).toEqual([16, ...Array.from({ length: 15 }, () => 32)]);
});

test('the time of an id can be read back; what is no id has none', () => {
  const clock = new SimulatedClock(1_790_000_000_123);
  expect(ulidMs(new IdSource(clock).next())).toBe(1_790_000_000_123);
  for (const text of [
    '',
    '01J',
    '8ZZZZZZZZZZZZZZZZZZZZZZZZZ',
    '01j00000000000000000000000',
    `01J0000000000000000000000U`,
  ])
    expect(ulidMs(text)).toBeNaN();
});
