/** Kept answers: for their time, and no more of them than the limits say. */
import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { KeptAnswers } from '#actors/bff/store.ts';

test('an answer is kept for its time, and the same one may be asked to be younger', () => {
  const kept = new KeptAnswers();
  kept.set('a', { value: 1, chars: 1, seen: 7 }, 1000);
  expect(kept.get('a', 1999, 1000)).toMatchObject({ value: 1, seen: 7 });
  expect(kept.get('a', 2000, 1000)).toBeUndefined();
  expect(kept.get('a', 2000, 5000)).toMatchObject({ value: 1 });
  kept.set('a', { value: 2, chars: 1, seen: 8 }, 3000);
  expect(kept.get('a', 3500, 1000)).toMatchObject({ value: 2 });
});

test('the oldest leave first, by number and by size; one that is too large is not kept', () => {
  const { keptEntriesMax, keptCharsMax } = limits.bff;
  const many = new KeptAnswers();
  for (let i = 0; i <= keptEntriesMax; i++) many.set(`k${i}`, { value: i, chars: 1, seen: 0 }, i);
  expect([many.get('k0', 0, 1e9), many.get('k1', 0, 1e9)?.value]).toEqual([undefined, 1]);
  const large = new KeptAnswers();
  for (let i = 0; i < 9; i++) large.set(`k${i}`, { value: i, chars: keptCharsMax / 8 - 2, seen: 0 }, i);
  expect([large.get('k0', 0, 1e9), large.get('k8', 0, 1e9)?.value]).toEqual([undefined, 8]);
  large.set('huge', { value: 0, chars: keptCharsMax, seen: 0 }, 9);
  expect(large.get('huge', 9, 1e9)).toBeUndefined();
});
