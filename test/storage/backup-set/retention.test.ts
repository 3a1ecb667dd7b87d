import { expect, test } from 'vitest';
import { setIdOf } from '#storage/backup-set/place.ts';
import { keptSets } from '#storage/backup-set/retention.ts';

const none = { last: 1, hourly: 0, daily: 0, weekly: 0, monthly: 0 };
const idsAt = (...instants: string[]): string[] => instants.map((text) => setIdOf(Date.parse(text)));
const kept = (ids: string[], keep: object): string[] => [...keptSets(ids, { ...none, ...keep })].toSorted();

test('the newest stays whatever the file says', () => {
  const ids = idsAt('2026-01-01T00:00:00Z', '2026-01-01T01:00:00Z');
  expect(kept(ids, { last: 0 })).toEqual([ids[1]]);
  expect(kept([], {})).toEqual([]);
});

test('of each hour, day and month the newest set; periods without a set take no place', () => {
  const ids = idsAt(
    '2025-11-30T23:00:00Z',
    '2026-01-01T00:00:00Z',
    '2026-01-01T23:59:59Z',
    '2026-01-05T10:00:00Z',
    '2026-01-05T10:59:00Z',
  );
  expect(kept(ids, { hourly: 2 })).toEqual([ids[2], ids[4]]);
  expect(kept(ids, { daily: 3 })).toEqual([ids[0], ids[2], ids[4]]);
  expect(kept(ids, { monthly: 2 })).toEqual([ids[0], ids[4]]);
});

test('weeks begin on Monday, UTC', () => {
  const [sunday, monday, nextSunday] = idsAt('2026-11-22T23:00:00Z', '2026-11-23T00:00:00Z', '2026-11-29T23:00:00Z');
  expect(kept([sunday!, monday!, nextSunday!], { weekly: 9 })).toEqual([sunday, nextSunday]);
});
