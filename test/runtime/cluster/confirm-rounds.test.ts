/** Rounds that confirm: which round counts for which ask, how many share one, and what a full queue answers. */
import { expect, test } from 'vitest';
import { ConfirmRounds } from '#runtime/cluster/confirm-rounds.ts';

function world(waitingMax = 100) {
  const ends: PromiseWithResolvers<boolean>[] = [];
  const rounds = new ConfirmRounds(() => {
    const end = Promise.withResolvers<boolean>();
    ends.push(end);
    return end.promise;
  }, waitingMax);
  const told: string[] = [];
  const ask = (name: string): void => void rounds.ask().then((isConfirmed) => told.push(`${name} ${isConfirmed}`));
  return { ends, rounds, told, ask };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a round that is under way counts for nothing that comes; all that come meanwhile share the next', async () => {
  const { ends, told, ask } = world();
  ask('a');
  ask('b');
  ask('c');
  expect(ends).toHaveLength(1);
  ends[0]!.resolve(true);
  await turn();
  expect([told, ends.length]).toEqual([['a true'], 2]);
  ask('d');
  ends[1]!.resolve(true);
  await turn();
  expect([told, ends.length]).toEqual([['a true', 'b true', 'c true'], 3]);
  ends[2]!.resolve(false);
  await turn();
  expect(told.at(-1)).toBe('d false');
});

test('a round without an outcome confirms nothing, and the next ask begins another one', async () => {
  const { ends, told, ask } = world();
  ask('a');
  ends[0]!.reject(new Error('away'));
  await turn();
  ask('b');
  ends[1]!.resolve(true);
  await turn();
  expect(told).toEqual(['a false', 'b true']);
});

test('where too many wait the answer is no, at once', async () => {
  const { ends, rounds, told, ask } = world(2);
  ask('a');
  ask('b');
  ask('c');
  await turn();
  expect([told, rounds.waiting]).toEqual([['c false'], 2]);
  ends[0]!.resolve(true);
  await turn();
  ends[1]!.resolve(true);
  await turn();
  expect([told, rounds.waiting]).toEqual([['c false', 'a true', 'b true'], 0]);
});
