import { mkdirSync, readdirSync, rmSync, writeFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { nextEpoch } from '#storage/journal/directories.ts';
import { keptRoot } from '#storage/journal/kept.ts';
import type { Journal } from '#storage/journal/journal.ts';
import { decodeChunk, type ChunkHead } from '#storage/journal-copy/chunk.ts';
import { JournalCopier } from '#storage/journal-copy/copier.ts';
import { redo } from '#storage/journal-copy/redo.ts';
import { u32 } from '#storage/key.ts';
import { pace } from '#test/storage/backup/kit.ts';
import { flush, open } from '#test/storage/journal/scribe.ts';
import { place } from '#test/storage/place.ts';
import { MemoryChunks } from './memory-chunks.ts';

const MB = 1024 * 1024;

interface Bench {
  readonly dir: string;
  readonly chunks: MemoryChunks;
  now: number;
  copier(keptBytesMax?: number, isDiskFull?: () => boolean): Promise<JournalCopier>;
  journal(): Promise<Journal>;
  heads(): ChunkHead[];
}

function bench(): Bench {
  const dir = place();
  const chunks = new MemoryChunks();
  const made: Bench = {
    dir,
    chunks,
    now: 1_764_000_000_000,
    copier: (keptBytesMax = 1000 * MB, isDiskFull = () => false) =>
      JournalCopier.open({
        dataDir: dir,
        place: chunks,
        encryption: null,
        firstTold: 0,
        now: () => ++made.now,
        bytesMax: MB,
        keptBytesMax,
        isDiskFull,
      }),
    journal: async () => {
      const journal = await open({ dataDir: dir, epoch: nextEpoch(dir), shards: [0], keeps: true });
      onTestFinished(() => journal.close(false));
      return journal;
    },
    heads: () => Array.from(chunks.held, ([name, chunk]) => decodeChunk(chunk, name).head),
  };
  return made;
}

const copied = (heads: readonly ChunkHead[]): number[][] =>
  heads.flatMap(({ pieces }) => pieces.map(({ first, last }) => [first, last]));

const redoFrom = (of: Bench, beganMs: number, number = 0, untilMs = of.now) =>
  redo({
    place: of.chunks,
    from: { shard: 0, prefix: `${u32(1)}\0`, epoch: 1, number, beganMs },
    untilMs,
    write: () => undefined,
    decrypt: null,
    pace,
  });

it('takes a flush only when it is known to be durable: when another one follows, or by the mark of an idle journal', async () => {
  const at = bench();
  const journal = await at.journal();
  const copier = await at.copier();
  await flush(journal, 3);
  await copier.copy();
  expect(copied(at.heads())).toEqual([]);
  await flush(journal, 2);
  await copier.copy();
  expect(copied(at.heads())).toEqual([[1, 3]]);
  await expect.poll(async () => (await copier.copy(), copied(at.heads())), { timeout: 10_000 }).toEqual([[1, 3], [4, 5]]); // prettier-ignore
});

it('a flush larger than a chunk is taken whole, whatever its size', async () => {
  const at = bench();
  const journal = await at.journal();
  const copier = await at.copier();
  await flush(journal, 5, MB);
  await flush(journal, 1);
  while ((await copier.copy()).more);
  expect(copied(at.heads()).at(-1)).toEqual([5, 5]);
  // Only what shows a moment can be restored to.
  const complete = at.heads().map((head) => head.complete);
  expect([complete.includes(false), complete.at(-1)]).toEqual([true, true]);
  expect(copied(at.heads()).reduce((sum, [first, last]) => sum + last! - first! + 1, 0)).toBe(5);
});

it('keeps segments until they are copied, and no longer', async () => {
  const at = bench();
  const journal = await at.journal();
  const copier = await at.copier();
  await copier.copy();
  for (let i = 0; i < 30; i++) await flush(journal, 2, 1000);
  journal.retire(journal.durable);
  const kept = join(keptRoot(at.dir), '0000000001-test');
  await expect.poll(() => readdirSync(kept).length).toBeGreaterThan(3);
  while ((await copier.copy()).bytes > 0);
  expect(readdirSync(kept)).toEqual(['shards']);
  await journal.close(true);
  await copier.copy();
  expect(readdirSync(keptRoot(at.dir))).toEqual([]);
  expect(copied(at.heads()).at(-1)![1]).toBe(60);
});

it('gives up the oldest kept segments beyond the bound, and says which records are lost', async () => {
  const at = bench();
  const journal = await at.journal();
  const copier = await at.copier(20_000);
  await copier.copy();
  const began = at.now;
  at.chunks.refuses = new Error('the bucket does not answer');
  for (let i = 0; i < 30; i++) await flush(journal, 2, 1000);
  journal.retire(journal.durable);
  await expect.poll(() => readdirSync(join(keptRoot(at.dir), '0000000001-test')).length).toBeGreaterThan(3);
  await expect(copier.copy()).rejects.toThrow('does not answer');
  at.chunks.refuses = null;
  while ((await copier.copy()).bytes > 0);
  const [gap] = at.heads().flatMap(({ gaps }) => gaps);
  expect(gap).toMatchObject({ journal: '0000000001-test', from: 1 });
  expect(copied(at.heads())[0]![0]).toBe(gap!.to! + 1);
  await expect(redoFrom(at, began)).rejects.toThrow(
    /lost records before .*use a set from after it, or an earlier moment/,
  );
  await expect(redoFrom(at, began, gap!.to!)).resolves.toMatchObject({ records: 0 });
});

it('keeps nothing on a full disk: the node needs the room', async () => {
  const at = bench();
  const journal = await at.journal();
  let isFull = false;
  const copier = await at.copier(1000 * MB, () => isFull);
  at.chunks.refuses = new Error('away');
  for (let i = 0; i < 30; i++) await flush(journal, 2, 1000);
  journal.retire(journal.durable);
  const kept = join(keptRoot(at.dir), '0000000001-test');
  await expect.poll(() => readdirSync(kept).length).toBeGreaterThan(3);
  await expect(copier.copy()).rejects.toThrow('away');
  expect(readdirSync(kept).length).toBeGreaterThan(3);
  isFull = true;
  // The journal moves its segments one after the other: some may come meanwhile.
  const left = async (): Promise<string[]> => {
    await expect(copier.copy()).rejects.toThrow('away');
    return readdirSync(kept);
  };
  await expect.poll(left).toEqual(['shards']);
});

it('a chunk whose answer was lost is stored again, and the later one of a number counts', async () => {
  const at = bench();
  const journal = await at.journal();
  const copier = await at.copier();
  await copier.copy();
  const began = at.now;
  await flush(journal, 2);
  await flush(journal, 1);
  at.chunks.losesAnswers = true;
  await expect(copier.copy()).rejects.toThrow('no answer');
  const first = at.now;
  await flush(journal, 2);
  at.chunks.losesAnswers = false;
  await copier.copy();
  expect(at.heads().map(({ seq }) => seq)).toEqual([1, 2, 2]);
  await expect(redoFrom(at, began)).resolves.toMatchObject({ momentMs: at.now });
  await expect(redoFrom(at, began, 0, first)).resolves.toMatchObject({ momentMs: first });
});

it('says that records are lost where a journal is gone, or an epoch was served without a copy', async () => {
  const at = bench();
  const journal = await at.journal();
  const copier = await at.copier();
  await flush(journal, 3);
  await copier.copy();
  await journal.close(false);
  for (const root of ['journal', 'journal-kept']) rmSync(join(at.dir, root, '0000000001-test'), { recursive: true });
  nextEpoch(at.dir);
  expect((await copier.copy()).gaps).toEqual([{ journal: '0000000001-test', from: 1, to: null }]);
  at.now += 61_000;
  expect((await copier.copy()).gaps).toEqual([{ journal: '0000000002', from: 1, to: null }]);
  expect((await copier.copy()).gaps).toEqual([]);
});

it('a kept segment whose head is damaged is a gap; a journal that ended earlier than it said, too', async () => {
  const at = bench();
  const journal = await at.journal();
  for (let i = 0; i < 6; i++) await flush(journal, 2, 3000);
  journal.retire(journal.durable);
  await journal.close(true);
  const kept = join(keptRoot(at.dir), '0000000001-test');
  const names = readdirSync(kept).filter((name) => name.endsWith('.segment'));
  damage(join(kept, names[1]!), 3);
  damage(join(kept, names.at(-1)!), 600);
  const copier = await at.copier();
  while ((await copier.copy()).bytes > 0);
  const gaps = at.heads().flatMap((head) => head.gaps);
  expect(gaps.map(({ to }) => to !== null)).toEqual([true, true]);
  expect(gaps.at(-1)!.to).toBe(12);
  expect(readdirSync(keptRoot(at.dir))).toEqual([]);
});

function damage(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at]! ^= 1;
  writeFileSync(path, bytes);
}

it('what ended before a crash of the copier, and is in the copy, is removed when it begins again', async () => {
  const at = bench();
  const journal = await at.journal();
  await flush(journal, 3);
  await journal.close(true);
  await (await at.copier()).copy();
  const left = join(keptRoot(at.dir), '0000000001-test');
  mkdirSync(left);
  await (await at.copier()).copy();
  expect(readdirSync(keptRoot(at.dir))).toEqual([]);
  expect(copied(at.heads())).toEqual([[1, 3]]);
});

it('refuses a moment that the copy does not reach without a hole, and each chunk that was altered', async () => {
  const at = bench();
  const journal = await at.journal();
  const copier = await at.copier();
  const before = at.now;
  await copier.copy();
  const began = at.now;
  for (let i = 0; i < 4; i++) {
    await flush(journal, 2);
    await copier.copy();
  }
  await expect(redoFrom(at, before)).rejects.toThrow(/begins at .*, after the backup of .*: use a later set/);
  await expect(redoFrom(at, began)).resolves.toMatchObject({ momentMs: at.now });
  const names = [...at.chunks.held.keys()];
  const whole = at.chunks.held.get(names[2]!)!;
  for (let i = 0; i < whole.length; i++) {
    const altered = Buffer.from(whole);
    altered[i]! ^= 1;
    at.chunks.held.set(names[2]!, altered);
    await expect(redoFrom(at, began)).rejects.toThrow(/was altered/);
  }
  at.chunks.held.delete(names[2]!);
  await expect(redoFrom(at, began)).rejects.toThrow(
    /the chunk 3 of the journal's copy is missing: the latest moment before it is 20/,
  );
});
