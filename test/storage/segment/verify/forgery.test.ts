/** Changes by an attacker that knows the formats and repairs everything that is not signed: a CRC, a manifest, a record of its own. */
import { createHash } from 'node:crypto';
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readOnlyFiles } from '#storage/segment/files.ts';
import { writeLine } from '#storage/segment/line.ts';
import { manifestPath, readManifest, segmentPath, writeManifest } from '#storage/segment/manifest.ts';
import { HashReader } from '#storage/segment/hash-reader.ts';
import { isConsistencyFile, verifyConsistencyFile } from '#storage/segment/verify/verify-consistency.ts';
import type { ConsistencyFile } from '#storage/segment/verify/verify-consistency.ts';
import { verifyLog } from '#storage/segment/verify/verify-log.ts';
import { verifySegment } from '#storage/segment/verify/verify-segment.ts';
import { appendSome, placeOfLog, recordOf, type LogPlace } from '../kit.ts';

const SMALL = { bounds: { recordsMax: 4, bytesMax: 100_000 } };

/** Three sealed segments of four records and an open one; checkpoints cover more than a segment's end. */
async function logOf14(): Promise<LogPlace> {
  const place = placeOfLog();
  const log = await place.open(SMALL);
  await appendSome(log, 14);
  await log.close();
  return place;
}

const read = (place: LogPlace, path: string) => readFileSync(join(place.directory, path));

function write(place: LogPlace, path: string, bytes: Buffer | string): void {
  const full = join(place.directory, path);
  chmodSync(full, 0o600);
  writeFileSync(full, bytes);
}

/** Another record at a place, with its CRC, and a manifest that agrees. */
function forge(place: LogPlace, first: number): void {
  const lines = Array.from({ length: 4 }, (_, at) => recordOf(first + at, at === 1 ? 'tset' : 'test'));
  const bytes = Buffer.concat(lines.map(writeLine));
  write(place, segmentPath(first), bytes);
  const manifest = readManifest(read(place, manifestPath(first)).toString())!;
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  write(place, manifestPath(first), writeManifest({ ...manifest, bytes: bytes.length, sha256 }));
}

describe('a segment alone', () => {
  test.each([0, 4, 8])('from record %i on leads to the signed root', async (first) => {
    const place = await logOf14();
    const path = join(place.directory, segmentPath(first));
    expect(await verifySegment(path, place.trust)).toMatchObject({
      verdict: 'good',
      records: 4,
      missing: [],
      tampered: null,
    });
  });

  test.each([0, 4, 8])('from record %i on, rewritten with its manifest, is tampered', async (first) => {
    const place = await logOf14();
    forge(place, first);
    const report = await verifySegment(join(place.directory, segmentPath(first)), place.trust);
    expect(report).toMatchObject({ verdict: 'tampered', tampered: { file: segmentPath(first), index: first } });
  });

  test('without the tiles before it shows nothing: incomplete', async () => {
    const place = await logOf14();
    rmSync(join(place.directory, 'tile'), { recursive: true });
    const report = await verifySegment(join(place.directory, segmentPath(4)), place.trust);
    expect(report).toMatchObject({ verdict: 'incomplete', tampered: null });
  });
});

test('records that a manifest’s checkpoint covers are missed, though the published one was brought back from before', async () => {
  const place = placeOfLog();
  const log = await place.open(SMALL);
  await appendSome(log, 3);
  await log.published(3);
  const old = read(place, 'checkpoint');
  await appendSome(log, 5);
  await log.close();
  write(place, 'checkpoint', old);
  for (const path of [segmentPath(4), manifestPath(4)]) rmSync(join(place.directory, path));
  const reader = readOnlyFiles(place.directory);
  const report = await verifyLog(reader, place.trust, 'directory');
  expect(report).toMatchObject({ verdict: 'tampered', size: 3, tampered: { file: 'checkpoint' } });
  expect(report.missing).toContain('records 4 to 7');
});

test('an older signed checkpoint that was put back is tampered where a manifest has a newer one', async () => {
  const place = placeOfLog();
  const log = await place.open(SMALL);
  await appendSome(log, 3);
  await log.published(3);
  const old = read(place, 'checkpoint');
  await appendSome(log, 5);
  await log.close();
  const newest = read(place, 'checkpoint');
  const reader = readOnlyFiles(place.directory);
  expect(await verifyLog(reader, place.trust, 'directory')).toMatchObject({ verdict: 'good', size: 8 });
  write(place, 'checkpoint', old);
  expect(await verifyLog(reader, place.trust, 'directory')).toMatchObject({
    verdict: 'tampered',
    tampered: { file: 'checkpoint', what: expect.stringContaining('an older one was put back') as string },
  });
  // A log that went on while it was read has published the newer one by the end.
  let reads = 0;
  const live = {
    names: (directory: string) => reader.names(directory),
    read: (path: string) => (path === 'checkpoint' && reads++ > 0 ? Promise.resolve(newest) : reader.read(path)),
  };
  expect(await verifyLog(live, place.trust, 'directory')).toMatchObject({ verdict: 'good' });
});

test('a manifest that is gone is missed, but for the segment that is still open', async () => {
  const place = placeOfLog();
  const log = await place.open(SMALL);
  await appendSome(log, 10);
  await log.close();
  const whole = await verifyLog(readOnlyFiles(place.directory), place.trust, 'directory');
  expect(whole.verdict).toBe('good');
  rmSync(join(place.directory, manifestPath(4)));
  const report = await verifyLog(readOnlyFiles(place.directory), place.trust, 'directory');
  expect(report).toMatchObject({ verdict: 'incomplete', missing: [manifestPath(4)] });
});

test('a consistency proof is good with the earlier checkpoint, shows nothing without it, and is tampered where it does not fit', async () => {
  const place = placeOfLog();
  const log = await place.open(SMALL);
  const notes: string[] = [];
  for (let size = 1; size <= 9; size++) {
    await appendSome(log, 1);
    await log.published(size);
    notes.push(read(place, 'checkpoint').toString());
  }
  await log.close();
  const hashes = new HashReader((path) => readOnlyFiles(place.directory).read(path), 9);
  for (let from = 1; from <= 9; from++) {
    const proof = (await hashes.consistency(from, 9)).map((hash) => Buffer.from(hash).toString('base64'));
    const file = { log_id: 'x', from, to: 9, proof, checkpoint: notes[8]! };
    expect(isConsistencyFile(file)).toBe(true);
    const judge = (given: ConsistencyFile, earlier: string | null) =>
      verifyConsistencyFile(given, 'p.json', earlier === null ? null : { text: earlier, file: 'c' }, place.trust)
        .verdict;
    expect(judge(file, notes[from - 1]!)).toBe('good');
    expect(judge(file, null)).toBe('incomplete');
    expect(judge(file, notes[from % 9]!)).toBe('incomplete'); // a checkpoint of another size
    expect(judge({ ...file, to: 8 }, notes[from - 1]!)).toBe('incomplete');
    if (proof.length > 0) {
      const forged = [...proof.slice(0, -1), Buffer.alloc(32, 7).toString('base64')];
      expect(judge({ ...file, proof: forged }, notes[from - 1]!)).toBe('tampered');
    }
    expect(judge(file, notes[from - 1]!.replace(/[A-Za-z0-9+/]{8}=*\n$/, 'AAAAAAAA\n'))).toBe('tampered');
  }
});

test.each([
  ['audit', 'good'],
  ['host', 'incomplete'],
])('a pruning that %s tells of leaves the log %s', async (source, verdict) => {
  const place = placeOfLog();
  const log = await place.open(SMALL);
  await appendSome(log, 4);
  const pruned = { action: 'audit.pruned', data: { first: 0, last: 3 }, seq: 4, source, source_seq: 1 };
  await log.append([Buffer.from(JSON.stringify(pruned))], 'strict');
  await log.close();
  rmSync(join(place.directory, segmentPath(0)));
  expect(await verifyLog(readOnlyFiles(place.directory), place.trust, 'directory')).toMatchObject({ verdict });
});

test('a manifest that was stretched over the next segment does not hide that this one is gone, too', async () => {
  const place = placeOfLog();
  const log = await place.open(SMALL);
  await appendSome(log, 8);
  const data = { first: 0, last: 3, all: [{ first: 0, last: 3 }] };
  const pruned = { action: 'audit.pruned', data, seq: 8, source: 'audit', source_seq: 1 };
  await log.append([Buffer.from(JSON.stringify(pruned))], 'strict');
  await log.close();
  rmSync(join(place.directory, segmentPath(0)));
  const reader = readOnlyFiles(place.directory);
  expect(await verifyLog(reader, place.trust, 'directory')).toMatchObject({ verdict: 'good', pruned: 4 });
  const next = readManifest(read(place, manifestPath(4)).toString())!;
  write(place, manifestPath(0), writeManifest({ ...next, first: 0 }));
  for (const path of [segmentPath(4), manifestPath(4)]) rmSync(join(place.directory, path));
  const report = await verifyLog(reader, place.trust, 'directory');
  expect(report).toMatchObject({ verdict: 'incomplete', missing: [segmentPath(0)] });
});
