import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { openFiles, readOnlyFiles, type LogFiles } from '#storage/segment/files.ts';
import { segmentFault } from '#storage/segment/scrub-segment.ts';
import { segmentPath } from '#storage/segment/manifest.ts';
import type { SegmentLog } from '#storage/segment/segment-log.ts';
import { verifyLog } from '#storage/segment/verify/verify-log.ts';
import { verifySegment } from '#storage/segment/verify/verify-segment.ts';
import { placeOfLog, type LogPlace } from './kit.ts';

const BOUNDS = { recordsMax: 600, bytesMax: 10_000_000 };

/** Some 400 bytes, of which few repeat. */
const large = (seq: number): Buffer =>
  Buffer.from(
    JSON.stringify({ seq, source: 'test', source_seq: seq + 1, data: `${seq} `.repeat(60), sha256: 'a'.repeat(64) }),
  );

async function append(log: SegmentLog, count: number): Promise<void> {
  const first = log.next;
  await log.append(
    Array.from({ length: count }, (_, at) => large(first + at)),
    'strict',
  );
}

const verified = (place: LogPlace) => verifyLog(readOnlyFiles(place.directory), place.trust, 'directory');
const segments = (place: LogPlace): string[] => readdirSync(join(place.directory, 'segments')).toSorted();
const packedName = (first: number): string => `${String(first).padStart(16, '0')}.log.gz`;
const isPacked = (place: LogPlace, first: number): boolean => segments(place).includes(packedName(first));
const noPause = (): Promise<void> => Promise.resolve();

/** Files that are never packed, as those of earlier releases. */
function unpacked(place: LogPlace): LogFiles {
  const files = openFiles(place.directory);
  files.pack = () => Promise.resolve('not');
  return files;
}

/** They are read-only. */
function replace(file: string, bytes: Uint8Array): void {
  rmSync(file);
  writeFileSync(file, bytes);
}

/** A log of four segments, of which three are sealed and packed. */
async function logOf(place: LogPlace): Promise<SegmentLog> {
  const log = await place.open({ bounds: BOUNDS });
  for (let round = 0; round < 4; round++) await append(log, 500);
  await log.published(2000);
  await expect.poll(() => isPacked(place, 1000)).toBe(true);
  return log;
}

test('sealed segments and full bundles are packed, and verify as before', async () => {
  const place = placeOfLog();
  await (await logOf(place)).close();
  expect(segments(place).filter((name) => name.endsWith('.log.gz'))).toHaveLength(3);
  const bundles = readdirSync(join(place.directory, 'tile/entries')).toSorted();
  expect(bundles.filter((name) => name.endsWith('.gz'))).toEqual(
    ['000', '001', '002', '003', '004'].map((n) => `${n}.gz`),
  );
  expect(await verified(place)).toMatchObject({ verdict: 'good', size: 2000, records: 2000, missing: [] });
  for (const name of [packedName(500), packedName(500).slice(0, -'.gz'.length)]) {
    const path = join(place.directory, 'segments', name);
    expect(await verifySegment(path, place.trust)).toMatchObject({ verdict: 'good', records: 500 });
  }
  expect(await segmentFault(place.directory, 500, noPause)).toBeNull();
});

test('a log goes on behind packed segments, also where tiles are gone', async () => {
  const place = placeOfLog();
  await (await logOf(place)).close();
  const again = await place.open({ bounds: BOUNDS });
  await append(again, 300);
  await again.close();
  expect(await verified(place)).toMatchObject({ verdict: 'good', size: 2300 });
  expect(place.fatal).toEqual([]);
});

test('what an earlier process has not packed is packed when the log is opened, as a log of an earlier release is', async () => {
  const place = placeOfLog();
  const stopped = await place.open({ bounds: BOUNDS, files: unpacked(place) });
  for (let round = 0; round < 4; round++) await append(stopped, 500);
  await stopped.close();
  expect(segments(place).some((name) => name.endsWith('.gz'))).toBe(false);
  const log = await place.open({ bounds: BOUNDS });
  await expect.poll(() => [0, 500, 1000].map((first) => isPacked(place, first))).toEqual([true, true, true]);
  await log.close();
  expect(await verified(place)).toMatchObject({ verdict: 'good', size: 2000, missing: [] });
});

test('a process that ended while it packed leaves both forms, of which the plain one counts', async () => {
  const place = placeOfLog();
  await (await logOf(place)).close();
  const path = join(place.directory, segmentPath(1000));
  writeFileSync(path, gunzipSync(readFileSync(`${path}.gz`)));
  replace(`${path}.gz`, Buffer.from('half of it'));
  expect(await verified(place)).toMatchObject({ verdict: 'good', size: 2000 });
  const log = await place.open({ bounds: BOUNDS });
  await expect.poll(() => existsSync(path)).toBe(false);
  await log.close();
  expect(await verified(place)).toMatchObject({ verdict: 'good', size: 2000 });
});

test('a changed byte of a packed segment or bundle is found by the verifier and by the scrubber', async () => {
  const place = placeOfLog();
  await (await logOf(place)).close();
  for (const path of [`${segmentPath(500)}.gz`, 'tile/entries/002.gz']) {
    const file = join(place.directory, path);
    const bytes = readFileSync(file);
    const flipped = Buffer.from(bytes);
    flipped[bytes.length >> 1]! ^= 4;
    replace(file, flipped);
    expect(await verified(place)).toMatchObject({ verdict: 'tampered' });
    if (path.startsWith('segments'))
      expect(await segmentFault(place.directory, 500, noPause)).toMatch('was sealed with');
    replace(file, bytes);
  }
  expect(await verified(place)).toMatchObject({ verdict: 'good' });
});
