/** A log that is pruned again and again: the records that say so are pruned as well, and the newest of them still names all that is gone. */
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AuditLog } from '#actors/audit/audit-log.ts';
import type { LogBook } from '#actors/audit/log-book.ts';
import { firstKept, pruneLog, type PruneEvent } from '#actors/audit/prune.ts';
import { segmentPath } from '#actors/audit/store.ts';
import { BookPlace, LOG } from './book.ts';

const DAY_MS = 86_400_000;

const prunedBy =
  (book: LogBook): PruneEvent =>
  (log, data) =>
    book.ownEvent(log, 'audit.pruned', data);

/** As versions before `all` wrote it: each record names its own segment only. */
const prunedByOld =
  (book: LogBook): PruneEvent =>
  (log, { first, last, sha256, size, root }) =>
    book.ownEvent(log, 'audit.pruned', { first, last, sha256, size, root });

/** A day goes by, and what was sealed before it is pruned; gives how many segments went. */
async function nextDay(place: BookPlace, log: AuditLog, eventOf: PruneEvent): Promise<number> {
  await log.seal();
  place.clock.advance(DAY_MS);
  return pruneLog(log, place.clock.now(), eventOf);
}

async function prunings(log: AuditLog): Promise<object[]> {
  const first = await firstKept(log.files);
  const records = await log.records(first, log.head!.size - first);
  return records
    .map((entry) => JSON.parse(entry.toString()) as { action: string; data: object })
    .flatMap(({ action, data }) => (action === 'audit.pruned' ? [data] : []));
}

test.each([
  [1, 6],
  [3, 20],
  [300, 300],
])('segments of %i records: pruned on six days, it verifies on each', async (recordsMax, daily) => {
  const place = new BookPlace();
  const book = place.open(recordsMax);
  const log = await book.open(LOG);
  for (let day = 1; day <= 6; day++) {
    await place.append(log, daily);
    expect(await nextDay(place, log, prunedBy(book))).toBeGreaterThan(0);
    const kept = await firstKept(log.files);
    expect(await place.verify()).toMatchObject({ verdict: 'good', pruned: kept, missing: [] });
    expect((await prunings(log)).at(-1)).toMatchObject({ last: kept - 1, all: [{ first: 0, last: kept - 1 }] });
  }
  await book.close();
  expect(await place.verify()).toMatchObject({ verdict: 'good' });
  expect(place.fatal).toEqual([]);
});

test.each([1, 3])('segments of %i records: an idle log comes to rest', async (recordsMax) => {
  const place = new BookPlace();
  const book = place.open(recordsMax);
  const log = await book.open(LOG);
  await place.append(log, 7);
  expect(await nextDay(place, log, prunedBy(book))).toBeGreaterThan(0);
  // Records of prunings may share a segment with others once.
  await nextDay(place, log, prunedBy(book));
  await log.seal();
  const { size } = log.head!;
  for (let day = 1; day <= 3; day++) expect(await nextDay(place, log, prunedBy(book))).toBe(0);
  expect(log.head!.size).toBe(size);
  expect(await place.verify()).toMatchObject({ verdict: 'good', size });
  // What rested goes together with the next old records, under one record a segment of these.
  await place.append(log, 1);
  await nextDay(place, log, prunedBy(book));
  expect(log.head!.size).toBe(size + 2);
  expect(await firstKept(log.files)).toBe(size + 1);
  expect(await place.verify()).toMatchObject({ verdict: 'good', pruned: size + 1 });
  await book.close();
});

test('a segment that was removed from outside stays missing, however often the log is pruned after it', async () => {
  const place = new BookPlace();
  const book = place.open(3);
  const log = await book.open(LOG);
  await place.append(log, 6);
  await nextDay(place, log, prunedBy(book));
  await log.seal();
  const gap = log.head!.size;
  await place.append(log, 3);
  const path = join(place.directory, LOG, segmentPath(gap));
  await log.seal();
  rmSync(path);
  expect(await place.verify()).toMatchObject({ verdict: 'incomplete', missing: [segmentPath(gap)] });
  for (let day = 1; day <= 4; day++) {
    await place.append(log, 6);
    expect(await nextDay(place, log, prunedBy(book))).toBeGreaterThan(0);
    expect(await place.verify()).toMatchObject({ verdict: 'incomplete', missing: [segmentPath(gap)], tampered: null });
  }
  await book.close();
});

test('a record of a pruning that was changed from outside is not signed anew', async () => {
  const place = new BookPlace();
  const book = place.open(100);
  const log = await book.open(LOG);
  await place.append(log, 100);
  await nextDay(place, log, prunedBy(book));
  await place.append(log, 250);
  await log.published(351);
  const bundle = join(place.directory, LOG, 'tile', 'entries', '000');
  const bytes = readFileSync(bundle, 'latin1');
  const forged = bytes.replace('"all":[{"first":0,"last":99}]', '"all":[{"first":9,"last":99}]');
  expect(forged).not.toBe(bytes);
  writeFileSync(bundle, forged, 'latin1');
  await expect(nextDay(place, log, prunedBy(book))).rejects.toThrow('is not as it was signed');
  expect(await firstKept(log.files)).toBe(100);
  writeFileSync(bundle, bytes, 'latin1');
  expect(await nextDay(place, log, prunedBy(book))).toBe(3);
  expect(await place.verify()).toMatchObject({ verdict: 'good', pruned: 351 });
  await book.close();
});

test('a pruning that ends at any step leaves a log that verifies, and the next one goes on', async () => {
  const place = new BookPlace();
  const book = place.open(2);
  const log = await book.open(LOG);
  const remove = log.files.remove.bind(log.files);
  let left = 0;
  log.files.remove = (path) => {
    if (path.startsWith('segments/') && left-- <= 0) return Promise.reject(new Error('stopped here'));
    return remove(path);
  };
  for (let step = 0; step < 6; step++) {
    await place.append(log, 5);
    left = step;
    await nextDay(place, log, prunedBy(book)).catch((error: Error) => expect(error.message).toBe('stopped here'));
    expect(await place.verify()).toMatchObject({ verdict: 'good', missing: [] });
  }
  left = 1000;
  await nextDay(place, log, prunedBy(book));
  await nextDay(place, log, prunedBy(book));
  expect(await place.verify()).toMatchObject({ verdict: 'good', pruned: await firstKept(log.files) });
  await book.close();
});

test('what records of earlier versions list one by one, the next record lists as a whole', async () => {
  const place = new BookPlace();
  const book = place.open(3);
  const log = await book.open(LOG);
  await place.append(log, 9);
  expect(await nextDay(place, log, prunedByOld(book))).toBe(3);
  expect(await place.verify()).toMatchObject({ verdict: 'good', pruned: 9 });
  await place.append(log, 30);
  for (let day = 1; day <= 3; day++) {
    await nextDay(place, log, prunedBy(book));
    expect(await place.verify()).toMatchObject({ verdict: 'good', pruned: await firstKept(log.files) });
  }
  await book.close();
});

test('a log whose evidence an earlier version has pruned stays incomplete for what nothing tells of', async () => {
  const place = new BookPlace();
  const book = place.open(3);
  const log = await book.open(LOG);
  for (let day = 1; day <= 3; day++) {
    await place.append(log, 4);
    await nextDay(place, log, prunedByOld(book));
  }
  const before = await place.verify();
  expect(before).toMatchObject({ verdict: 'incomplete' });
  for (let day = 1; day <= 3; day++) {
    await place.append(log, 4);
    await nextDay(place, log, prunedBy(book));
    expect(await place.verify()).toMatchObject({ verdict: 'incomplete', missing: before.missing, tampered: null });
  }
  expect(
    readdirSync(join(place.directory, LOG, 'segments')).filter((name) => name.endsWith('.log')).length,
  ).toBeLessThan(6);
  await book.close();
});
