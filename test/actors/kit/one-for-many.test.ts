import { expect, test } from 'vitest';
import { OneForMany } from '#actors/kit/one-for-many.ts';

test('many occurrences are reported once a window, with their number', () => {
  const strangers = new OneForMany(10_000);
  expect(strangers.seen(0)).toEqual({ since: 1 });
  for (let at = 1; at <= 1000; at++) expect(strangers.seen(at)).toBeNull();
  expect(strangers.seen(10_000)).toEqual({ since: 1001 });
  expect(strangers.seen(-100_000)).toEqual({ since: 1 }); // a clock that was set back
});
