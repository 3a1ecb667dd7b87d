/** A journal that is damaged before its end: it stops the shards that may miss what is lost, and no other. */
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Archive, ArchiveOptions } from '#storage/archive.ts';
import { ShardStopped } from '#storage/fault.ts';
import { giveUpRecords } from '#storage/give-up.ts';
import { findJournals, nextEpoch } from '#storage/journal/directories.ts';
import { readFollowed } from '#storage/journal/mark.ts';
import { recordWrites } from '#storage/journal/record.ts';
import { readJournal } from '#storage/journal/replay.ts';
import { bytes, openAt, place, text } from './place.ts';

const held: Partial<ArchiveOptions> = { schedule: () => undefined };

async function put(archive: Archive, shard: number, key: string): Promise<void> {
  const store = archive.store(shard, 1);
  const turn = store.begin();
  turn.put(key, bytes('v'));
  turn.commit();
  await new Promise<void>((resolve) => store.whenDurable(turn.newest, resolve));
}

function has(archive: Archive, shard: number, key: string): boolean {
  const turn = archive.store(shard, 1).begin();
  try {
    return text(turn.get(key)) === 'v';
  } finally {
    turn.abort();
  }
}

/** A directory as it lies when the process is cut off. */
function cutOff(dataDir: string): string {
  const image = join(place(), 'image');
  cpSync(dataDir, image, { recursive: true });
  return image;
}

/** Flips a bit in the record that writes a key, and gives the journal and the record's number. */
function spoil(dataDir: string, key: string): { journal: string; number: number } {
  for (const journal of findJournals(dataDir)) {
    const path = join(journal, '0000000001.segment');
    const file = readFileSync(path);
    for (const record of readJournal(journal))
      for (const write of recordWrites(record)) {
        if (!write.key.endsWith(key)) continue;
        const at = file.indexOf(record.payload) + record.payload.length - 1;
        file[at] = file[at]! ^ 0x04;
        writeFileSync(path, file);
        return { journal, number: record.number };
      }
  }
  throw new Error(`no record writes ${key}`);
}

it('stops the shards of the damaged journal, serves those of others, and keeps the journal', async () => {
  const dataDir = place();
  const left = await openAt(dataDir, { ...held, shards: [0, 2], name: 'host-0', replay: [] });
  const right = await openAt(dataDir, { ...held, shards: [1, 3], name: 'host-1', replay: [] });
  for (const key of ['one', 'two', 'three']) {
    await put(left, 0, key);
    await put(right, 1, key);
  }
  const image = cutOff(dataDir);
  const { journal, number } = spoil(image, 'two');
  const replay = findJournals(image);
  const again = await openAt(image, { shards: [0, 1, 2, 3], replay });
  const { stopped } = again.stats();
  expect([...stopped.keys()]).toEqual([0, 2]);
  expect(stopped.get(0)).toMatchObject({ journal, from: number, to: number });
  expect(() => again.store(0, 1)).toThrow(ShardStopped);
  expect(() => again.store(2, 1)).toThrow(`record ${number} was durable and does not fit`);
  for (const key of ['one', 'two', 'three']) expect(has(again, 1, key)).toBe(true);
  await put(again, 1, 'later');
  await again.close();
  // The same damage stops the shard at every later opening, by any owner, and no later record is applied to it.
  const later = await openAt(image, { shards: [0, 2], replay: findJournals(image) });
  expect([...later.stats().stopped.keys()]).toEqual([0, 2]);
  await later.close();
});

it('stops no shard where LMDB had the record: of the shard that wrote it, and of those that wrote nothing', async () => {
  const dataDir = place();
  let follows = true;
  const archive = await openAt(dataDir, { schedule: (begin) => void (follows && begin()) });
  for (const key of ['one', 'two', 'three']) await put(archive, 0, key);
  const [journal] = findJournals(dataDir);
  await expect.poll(() => readFollowed(journal!), { timeout: 10_000 }).toBe(3);
  follows = false;
  await put(archive, 0, 'four');
  const image = cutOff(dataDir);
  spoil(image, 'two');
  const again = await openAt(image);
  expect([again.stats().stopped.size, again.stats().harmless]).toEqual([
    0,
    [expect.objectContaining({ from: 2, to: 2 })],
  ]);
  for (const key of ['one', 'two', 'three', 'four']) expect(has(again, 0, key)).toBe(true);
  await put(again, 1, 'x');
  await again.close();
});

it('a journal whose records a shard has passed stops it no more, though it lies there still', async () => {
  const dataDir = place();
  const shards = [0];
  const first = await openAt(dataDir, { ...held, shards, name: 'host-0' });
  for (const key of ['one', 'two', 'three']) await put(first, 0, key);
  const image = cutOff(dataDir);
  const second = await openAt(image, { ...held, shards, name: 'host-0' });
  await put(second, 0, 'four');
  const later = cutOff(image);
  spoil(later, 'two');
  // The first journal is there beside the second one, as after a crash before its removal.
  expect(findJournals(later)).toHaveLength(2);
  const again = await openAt(later, { shards });
  expect([...again.stats().stopped.keys()]).toEqual([]);
  expect(['two', 'four'].map((key) => has(again, 0, key))).toEqual([true, true]);
  await again.close();
});

it.each(['a segment that is gone', 'a head that does not fit'])('%s stops its shards, not the others', async (what) => {
  const dataDir = place();
  const left = await openAt(dataDir, {
    ...held,
    shards: [0],
    name: 'host-0',
    replay: [],
    limits: { segmentBytes: 4096 },
  });
  const right = await openAt(dataDir, { ...held, shards: [1], name: 'host-1', replay: [] });
  for (let no = 0; no < 100; no++) await put(left, 0, `a long key that fills segments ${'x'.repeat(200)} ${no}`);
  await put(right, 1, 'one');
  const image = cutOff(dataDir);
  const second = join(findJournals(image)[0]!, '0000000002.segment');
  expect(existsSync(second)).toBe(true);
  if (what.includes('gone')) rmSync(second);
  else writeFileSync(second, readFileSync(second).fill(7, 8, 24));
  const again = await openAt(image);
  expect([...again.stats().stopped.keys()]).toEqual([0]);
  expect(has(again, 1, 'one')).toBe(true);
  await again.close();
});

it('an operator gives the lost records up: what can be read is applied, and the journals go', async () => {
  const dataDir = place();
  const archive = await openAt(dataDir, held);
  for (const key of ['one', 'two', 'three']) await put(archive, 0, key);
  const image = cutOff(dataDir);
  const { number } = spoil(image, 'two');
  nextEpoch(image);
  expect(await giveUpRecords(image)).toMatchObject([{ from: number, to: number }]);
  expect(findJournals(image)).toEqual([]);
  const again = await openAt(image);
  expect(['one', 'two', 'three'].map((key) => has(again, 0, key))).toEqual([true, false, true]);
  await again.close();
});
