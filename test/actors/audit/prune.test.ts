import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { firstKept, pruneLog } from '#actors/audit/prune.ts';
import { openFiles } from '#storage/segment/files.ts';
import { segmentPath } from '#storage/segment/manifest.ts';
import { BookPlace, LOG } from './book.ts';

const DAY_MS = 86_400_000;

test('sealed segments that are old go, signed records say which, and the rest verifies', async () => {
  const place = new BookPlace();
  const book = place.open(300);
  const log = await book.open(LOG);
  await place.append(log, 700);
  place.clock.advance(2 * DAY_MS);
  await place.append(log, 400, { large: 'x'.repeat(40) });
  await log.published(1100);
  const before = place.clock.now() - DAY_MS;
  const pruned = await pruneLog(log, before, (of, data) => book.ownEvent(of, 'audit.pruned', data));
  // The third segment holds young records too.
  expect(pruned).toBe(2);
  expect(await firstKept(log.files)).toBe(600);
  expect(await pruneLog(log, before, (of, data) => book.ownEvent(of, 'audit.pruned', data))).toBe(0);
  const [told] = await log.records(1100, 1);
  expect(JSON.parse(told!.toString())).toMatchObject({
    action: 'audit.pruned',
    data: { first: 0, last: 299, size: 300 },
  });
  const bundles = readdirSync(join(place.directory, LOG, 'tile', 'entries'));
  const full = bundles.filter((name) => !name.endsWith('.p')).map((name) => name.replace('.gz', ''));
  expect(full.toSorted()).toEqual(['002', '003']);
  await place.append(log, 1);
  await book.close();
  expect(await place.verify()).toMatchObject({ verdict: 'good', size: 1103, pruned: 600, missing: [] });
  const again = await place.open(300).open(LOG);
  await place.append(again, 1);
  await again.close();
  expect(await place.verify()).toMatchObject({ verdict: 'good', size: 1104 });
  // A file is missing although no pruning removed it.
  const files = openFiles(join(place.directory, LOG));
  expect(await files.read(segmentPath(600))).not.toBeNull();
  await files.remove(segmentPath(600));
  expect(await place.verify()).toMatchObject({ verdict: 'incomplete' });
  expect(place.fatal).toEqual([]);
});

test('blobs of pruned records go with them', async () => {
  const place = new BookPlace();
  const book = place.open(2);
  const log = await book.open(LOG);
  await place.append(log, 1, { large: 'x'.repeat(70_000) });
  await place.append(log, 1, { large: 'y'.repeat(70_000) });
  place.clock.advance(DAY_MS);
  await place.append(log, 1, { large: 'z'.repeat(70_000) });
  await log.published(3);
  const blobs = (): number => readdirSync(join(place.directory, LOG, 'blob')).length;
  expect(blobs()).toBe(3);
  expect(await pruneLog(log, place.clock.now(), (of, data) => book.ownEvent(of, 'audit.pruned', data))).toBe(1);
  expect(blobs()).toBe(1);
  await book.close();
  expect(await place.verify()).toMatchObject({ verdict: 'good', pruned: 2 });
});

test('a blob is verified against its record, and stays as long as one record has it', async () => {
  const place = new BookPlace();
  const book = place.open(1);
  const log = await book.open(LOG);
  const large = { large: 'x'.repeat(70_000) };
  await place.append(log, 1, large);
  place.clock.advance(DAY_MS);
  await place.append(log, 1, large);
  await log.published(2);
  expect(await pruneLog(log, place.clock.now(), (of, data) => book.ownEvent(of, 'audit.pruned', data))).toBe(1);
  await book.close();
  const folder = join(place.directory, LOG, 'blob');
  const [name] = readdirSync(folder);
  expect(await place.verify()).toMatchObject({ verdict: 'good', pruned: 1 });
  writeFileSync(join(folder, name!), '{}');
  expect(await place.verify()).toMatchObject({ verdict: 'tampered', tampered: { file: `blob/${name}`, index: 1 } });
  rmSync(join(folder, name!));
  expect(await place.verify()).toMatchObject({ verdict: 'incomplete', missing: [`blob/${name}`] });
});

test('a clock that goes back by a day changes no order and loses nothing', async () => {
  const place = new BookPlace();
  place.clock.advance(10 * DAY_MS);
  const book = place.open(5);
  const log = await book.open(LOG);
  await place.append(log, 7);
  place.clock.advance(-DAY_MS);
  await place.append(log, 7);
  await book.close();
  const again = await place.open(5).open(LOG);
  await place.append(again, 1);
  const records = (await again.records(0, 100)).map(
    (entry) => JSON.parse(entry.toString()) as { id: string; seq: number },
  );
  expect(records.map(({ seq }) => seq)).toEqual(Array.from({ length: 14 }, (_, at) => at));
  const ids = records.map(({ id }) => id);
  expect(ids).toEqual(ids.toSorted());
  await again.close();
  expect(await place.verify()).toMatchObject({ verdict: 'good', size: 15, gaps: [] });
});
