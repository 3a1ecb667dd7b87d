import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Corruption } from '#storage/fault.ts';
import type { Journal } from '#storage/journal/journal.ts';
import { readMark } from '#storage/journal/mark.ts';
import { readJournal, type JournalCut } from '#storage/journal/replay.ts';
import { decodeHead } from '#storage/journal/segment.ts';
import { Random } from '#test/kit/random.ts';
import { flush, lines, numbers, open, placeOfRecord, put, segments } from './scribe.ts';
import { bytes } from '#test/storage/place.ts';

/** Three flushes of four records in one segment. */
async function written(): Promise<{ journal: Journal; path: string; file: Buffer }> {
  const journal = await open();
  for (let i = 0; i < 3; i++) await flush(journal, 4);
  await journal.close(false);
  const path = segments(journal.path)[0]!;
  return { journal, path, file: readFileSync(path) };
}

function spoil(path: string, file: Buffer, at: number, length = 1): void {
  const copy = Buffer.from(file);
  for (let i = at; i < at + length; i++) copy[i] = copy[i]! ^ 0x55;
  writeFileSync(path, copy);
}

function cutsOf(path: string): JournalCut[] {
  const cuts: JournalCut[] = [];
  for (const _ of readJournal(path, (cut) => void cuts.push(cut)));
  return cuts;
}

it('cuts a torn tail: a bad last record', async () => {
  const { journal, path, file } = await written();
  spoil(path, file, placeOfRecord(journal.path, path, 12) + 40);
  expect(numbers(journal.path)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
});

it('tells every cut: the file, the place, the bytes behind it and the number that would be next', async () => {
  const { journal, path, file } = await written();
  const at = placeOfRecord(journal.path, path, 12);
  expect(cutsOf(journal.path)).toEqual([]);
  spoil(path, file, at + 40);
  const [cut] = cutsOf(journal.path);
  expect(cut).toMatchObject({ path, at, next: 12 });
  expect(cut!.bytes).toBeGreaterThan(28);
  // A head that is gone, with good records of its flush behind it.
  spoil(path, file, placeOfRecord(journal.path, path, 9), 28);
  expect(cutsOf(journal.path)).toMatchObject([{ next: 9 }]);
});

it('reports no cut where a recycled segment keeps records of its earlier life', async () => {
  const journal = await open({ segmentBytes: 4096 });
  for (let i = 0; i < 40; i++) {
    await flush(journal, 3, 100);
    journal.retire(journal.durable - 3);
  }
  await flush(journal, 1);
  await journal.close(false);
  expect(cutsOf(journal.path)).toEqual([]);
});

it('refuses the loss of a last record that was durable when the journal was idle: that is damage and no tear', async () => {
  const journal = await open();
  await flush(journal, 4);
  await expect.poll(() => readMark(journal.path), { timeout: 10_000 }).toBe(4);
  await journal.close(false);
  const path = segments(journal.path)[0]!;
  spoil(path, readFileSync(path), placeOfRecord(journal.path, path, 4) + 40);
  expect(() => numbers(journal.path)).toThrow(
    'record 4 was durable and does not fit (the journal was idle at record 4)',
  );
});

it('goes without a mark that is torn, and cuts a flush behind one', async () => {
  const journal = await open();
  await flush(journal, 4);
  await expect.poll(() => readMark(journal.path), { timeout: 10_000 }).toBe(4);
  await flush(journal, 1);
  await journal.close(false);
  const path = segments(journal.path)[0]!;
  spoil(path, readFileSync(path), placeOfRecord(journal.path, path, 5) + 40);
  expect(numbers(journal.path)).toEqual([1, 2, 3, 4]);
  writeFileSync(join(journal.path, 'durable'), 'torn');
  expect([readMark(journal.path), numbers(journal.path)]).toEqual([0, [1, 2, 3, 4]]);
});

it('cuts a bad record with good ones of the same flush behind it: no sync had covered any of them', async () => {
  const { journal, path, file } = await written();
  spoil(path, file, placeOfRecord(journal.path, path, 9) + 40);
  expect(numbers(journal.path)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});

it.each([1, 4, 5, 8])('refuses a bad record %i with a later flush behind it: it had been durable', async (number) => {
  const { journal, path, file } = await written();
  const at = placeOfRecord(journal.path, path, number);
  for (const offset of [0, 4, 8, 12, 18, 20, 24, 30]) {
    spoil(path, file, at + offset);
    expect(() => numbers(journal.path)).toThrow(Corruption);
  }
  spoil(path, file, at, 60);
  expect(() => numbers(journal.path)).toThrow(`record ${number} was durable`);
});

it('refuses a spoiled head and a missing segment', async () => {
  const journal = await open();
  for (let i = 0; i < 30; i++) await flush(journal, 5, 200);
  await journal.close(false);
  const [first, second] = segments(journal.path);
  const file = readFileSync(first!);
  spoil(first!, file, 13);
  expect(() => numbers(journal.path)).toThrow('the head of the segment does not fit');
  writeFileSync(first!, file);
  rmSync(second!);
  expect(() => numbers(journal.path)).toThrow('was durable and is missing');
});

it('refuses the loss of the last record of a segment when the next one was begun', async () => {
  const journal = await open();
  for (let i = 0; i < 30; i++) await flush(journal, 5, 200);
  await journal.close(false);
  const [first, second] = segments(journal.path);
  const last = decodeHead(readFileSync(second!), second!).first - 1;
  spoil(first!, readFileSync(first!), placeOfRecord(journal.path, first!, last) + 35);
  expect(() => numbers(journal.path)).toThrow(`record ${last} was durable and is missing`);
});

it('never gives a record that was not written, whatever sectors of the last flush are missing', async () => {
  const journal = await open();
  await flush(journal, 3);
  for (let i = 0; i < 12; i++) journal.append(1, [put(`last${i}`, 'w'.repeat(i * 60))]);
  await journal.close(false);
  const whole = lines(journal.path);
  const path = segments(journal.path)[0]!;
  const file = readFileSync(path);
  const start = placeOfRecord(journal.path, path, 4);
  const random = new Random(4);
  for (let image = 0; image < 300; image++) {
    const torn = Buffer.from(file);
    for (let at = start; at < file.length; at = (Math.floor(at / 512) + 1) * 512) {
      if (random.chance(0.3)) torn.fill(0, at, Math.min(file.length, (Math.floor(at / 512) + 1) * 512));
    }
    writeFileSync(path, torn);
    const found = lines(journal.path);
    expect(found.length).toBeGreaterThanOrEqual(3);
    expect(found).toEqual(whole.slice(0, found.length));
  }
});

it('does not take bytes inside a value for a record, though they copy one', async () => {
  const forger = await open({ epoch: 7 });
  const victim = await open({ epoch: 7 });
  await flush(forger, 9);
  await forger.close(false);
  const path = segments(forger.path)[0]!;
  const forged = readFileSync(path).subarray(512, 2048).toString('latin1');
  await flush(victim, 2);
  victim.append(0, [{ key: 'tenant value', value: bytes(forged) }]);
  await victim.close(false);
  const target = segments(victim.path)[0]!;
  const file = readFileSync(target);
  // Record 3 is torn away up to where its value begins; the forged record 3 now lies where one may begin.
  const at = placeOfRecord(victim.path, target, 3);
  const torn = Buffer.from(file);
  torn.fill(0, at);
  Buffer.from(forged, 'latin1').copy(torn, at, placeOfRecord(forger.path, path, 3) - 512);
  writeFileSync(target, torn);
  expect(numbers(victim.path)).toEqual([1, 2]);
});

it('reads nothing from a directory that is not there or holds only spares', async () => {
  const { journal, path } = await written();
  cpSync(path, `${journal.path}/9.spare`);
  rmSync(path);
  expect(numbers(journal.path)).toEqual([]);
  expect(numbers(`${journal.path}-none`)).toEqual([]);
});
