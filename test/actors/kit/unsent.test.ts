/** What callers do not take of their answers is bounded over all connections. */
import { expect, test } from 'vitest';
import { Unsent } from '#actors/kit/unsent.ts';

function answers(count: number, unsent: () => Unsent) {
  const cut: number[] = [];
  const all = Array.from({ length: count }, (_, i) => ({
    cutUnsent: (): void => {
      cut.push(i);
      unsent().forget(all[i]!); // as a visit does whose connection has gone
    },
  }));
  return { cut, all };
}

test('past the bound the one that took nothing for longest goes, and no more than needed', () => {
  const told: number[] = [];
  const unsent = new Unsent(100, (bytes) => told.push(bytes));
  const { cut, all } = answers(5, () => unsent);
  for (const answer of all.slice(0, 4)) unsent.note(answer, 25);
  expect([unsent.bytes, cut]).toEqual([100, []]);
  unsent.note(all[0]!, 20); // the first one takes something
  unsent.note(all[4]!, 30);
  expect([unsent.bytes, cut, told]).toEqual([100, [1], [25]]);
});

test('what is taken, finished or left makes room; the newest is never its own victim', () => {
  const unsent = new Unsent(100);
  const { cut, all } = answers(3, () => unsent);
  unsent.note(all[0]!, 90);
  unsent.note(all[0]!, 0);
  unsent.note(all[1]!, 90);
  unsent.forget(all[1]!);
  unsent.forget(all[1]!);
  expect([unsent.bytes, cut]).toEqual([0, []]);
  unsent.note(all[2]!, 1000);
  expect([unsent.bytes, cut]).toEqual([1000, []]);
});
