import { expect, it } from 'vitest';
import { ArchiveCells } from '#storage/archive-cells.ts';
import { shardPath } from '#storage/archive.ts';
import { openEnvironment, type Environment } from '#storage/environment.ts';
import { fileJournals } from '#storage/file-journals.ts';
import { findJournals, nextEpoch } from '#storage/journal/directories.ts';
import type { Journals, ShardJournal } from '#storage/journal/port.ts';
import { readJournal } from '#storage/journal/replay.ts';
import { Random } from '#test/kit/random.ts';
import { testSeed } from '#test/kit/seed.ts';
import { place } from './place.ts';

const SHARDS = [0, 3, 7];
const VALUE = Buffer.alloc(3000, 'v');

function fail(error: Error): never {
  throw error;
}

async function open(dataDir: string): Promise<{ journals: Journals; close: () => Promise<void> }> {
  const environments = new Map<number, Environment>();
  for (const no of SHARDS) environments.set(no, openEnvironment(shardPath(dataDir, no), { onFatal: fail }));
  const { journals } = await fileJournals({
    dataDir,
    epoch: nextEpoch(dataDir),
    name: 'test',
    shards: SHARDS,
    replay: [],
    bounds: { gatherMax: 100, putsMax: 100 },
    cells: new ArchiveCells(),
    segmentBytes: 16 * 1024,
  })(environments, fail);
  return {
    journals,
    close: async () => {
      await journals.close(false);
      for (const environment of environments.values()) await environment.close();
    },
  };
}

const append = (journal: ShardJournal): number => journal.append([{ key: 'k', value: VALUE }]);
const durable = (journal: ShardJournal, number: number): Promise<void> =>
  new Promise((resolve) => journal.whenDurable(number, resolve));

it('a shard has numbers of its own, in one journal', async () => {
  const { journals, close } = await open(place());
  const [one, two] = [journals.of(0), journals.of(3)];
  const first = append(one);
  const second = append(two);
  expect(second).toBeGreaterThan(first);
  expect([one.last, two.last, journals.of(7).last]).toEqual([first, second, 0]);
  await durable(two, second);
  expect(one.durable).toBeGreaterThanOrEqual(first);
  expect(() => journals.of(1)).toThrow('shard 1 has no journal here');
  await close();
});

it('a record stays in the files until its shard has passed it, and all go when all have', async () => {
  const dataDir = place();
  const { journals, close } = await open(dataDir);
  const random = new Random(testSeed());
  const written = new Map<number, number[]>(SHARDS.map((no) => [no, []]));
  const passed = new Map<number, number>();
  let mostSegments = 0;
  for (let step = 0; step < 400; step++) {
    const no = SHARDS[random.below(SHARDS.length)]!;
    const journal = journals.of(no);
    const mine = written.get(no)!;
    // Shard 7 passes nothing for long stretches, so that it alone holds the files.
    if (random.below(3) > 0 || mine.length === 0) mine.push(append(journal));
    else if (no !== 7 || random.below(20) === 0) {
      const upTo = mine[random.below(mine.length)]!;
      await durable(journal, upTo);
      passed.set(no, Math.max(passed.get(no) ?? 0, upTo));
      journal.retire(upTo);
    }
    if (step % 20 !== 0) continue;
    await journals.settled();
    await new Promise((resolve) => setTimeout(resolve, 5));
    const kept = new Set(
      Array.from(readJournal(findJournals(dataDir)[0]!), ({ shard, number }) => `${shard} ${number}`),
    );
    for (const [shard, numbers] of written)
      for (const number of numbers)
        if (number > (passed.get(shard) ?? 0)) expect(kept, `step ${step}`).toContain(`${shard} ${number}`);
    mostSegments = Math.max(mostSegments, journals.stats().segments);
  }
  await journals.settled();
  expect(mostSegments).toBeGreaterThan(5);
  // Again and again: the journal passes over a word that comes while it is removing files.
  const left = (): number => {
    for (const no of SHARDS) journals.of(no).retire(journals.of(no).last);
    return journals.stats().segments;
  };
  await expect.poll(left).toBeLessThan(5);
  await close();
});
