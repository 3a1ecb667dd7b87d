import { expect, test } from 'vitest';
import { SimulatedClock } from '#actors/kit/clock.ts';
import { IdSource, isUlid } from '#actors/kit/id.ts';

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
