import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fc } from '#test/kit/property.ts';
import { expect, it, onTestFinished } from 'vitest';
import { BackupFault, frameCrc, HEAD_BYTES, MAGIC } from '#storage/backup/format.ts';
import { eraseStore } from '#storage/backup/erase.ts';
import { verifyBackup, writeBack } from '#storage/backup/write-back.ts';
import { MemoryBlobs } from '#test/storage/blob/memory.ts';
import { TABLES } from '#storage/catalogue.ts';
import { u16 } from '#storage/key.ts';
import { MemoryStore } from '#test/storage/memory.ts';
import { openAt, place } from '#test/storage/place.ts';
import { backupOf, blobsOf, digestOf, entriesOf, HEADER, pace, put, useOf } from './kit.ts';

const text = fc.uint8Array({ minLength: 1, maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('latin1'));
const tableNo = fc.constantFrom(TABLES.api_key.no, TABLES.row_count.no, TABLES.row_version.no, 256, 257, 0xffff);
const entry = fc.tuple(
  fc.tuple(tableNo, text).map(([no, key]) => u16(no) + key),
  fc.oneof(text, fc.constant('x'.repeat(100_000)), fc.constant('')),
);

it('gives back every entry and file of one moment, whatever is written meanwhile', { timeout: 60_000 }, async () => {
  const archive = await openAt(place());
  onTestFinished(() => archive.close());
  let no = 1;
  const wish = { before: fc.array(entry, { maxLength: 60 }), after: fc.array(entry), files: fc.uniqueArray(text) };
  await fc.assert(
    fc.asyncProperty(fc.record(wish), fc.boolean(), async ({ before, after, files }, followed) => {
      const store = archive.store(0, ++no);
      const neighbour = archive.store(0, no + 1);
      put(store, [...before, ...files.map((file) => [useOf(file), ''] as const)]);
      put(neighbour, [[`${u16(256)}other`, 'of a neighbour']]);
      if (followed) await archive.drain();
      const blobs = await blobsOf(files);
      const snapshot = store.snapshot();
      const shown = entriesOf(snapshot);
      put(store, [...after, ...before.slice(0, 3).map(([key]) => [key, null] as const)]);
      const path = await backupOf(snapshot, blobs, place());
      snapshot.close();
      const { digest, totals } = await verifyBackup(path, pace);
      const target = archive.store(1, no++);
      const restored = new MemoryBlobs();
      expect(await writeBack(path, digest, target, () => restored, pace)).toEqual(totals);
      expect(entriesOf(target.begin())).toEqual(shown);
      expect(totals).toMatchObject({ entries: shown.length, blobs: new Set(files.map(digestOf)).size });
      for (const file of files) {
        const sha256 = digestOf(file);
        const pieces: Uint8Array[] = [];
        for await (const piece of restored.read(sha256, 0, (await restored.size(sha256))!)) pieces.push(piece);
        expect(digestOf(Buffer.concat(pieces).toString('utf8'))).toBe(sha256);
      }
    }),
    { numRuns: 40 },
  );
});

it('gives back the notes of content stores; a store that keeps none refuses them', async () => {
  const media = new MemoryBlobs();
  for (const name of ['a', 'b']) await media.notes.write(`${name}.json`, `é of ${name}\n`);
  const stores = new Map([['media', media]]);
  const path = await backupOf(new MemoryStore().snapshot(), await blobsOf([]), place(), HEADER, stores);
  const { digest, totals } = await verifyBackup(path, pace);
  expect(totals.notes).toBe(2);
  const restored = new MemoryBlobs();
  const into = (notes: MemoryBlobs['notes'] | null) =>
    writeBack(
      path,
      digest,
      new MemoryStore(),
      (store) => {
        expect(store).toBe('media');
        return Object.assign(Object.create(restored) as MemoryBlobs, { notes });
      },
      pace,
    );
  await into(restored.notes);
  expect([await restored.notes.names(), await restored.notes.read('b.json')]).toEqual([
    ['a.json', 'b.json'],
    'é of b\n',
  ]);
  await expect(into(null)).rejects.toThrow('has an index of files for the content store media');
});

async function smallBackup(): Promise<{ path: string; bytes: Buffer }> {
  const store = new MemoryStore();
  put(store, [
    [`${u16(10)}key`, 'a key'],
    [`${u16(256)}a`, 'row a'],
    [`${u16(256)}b`, 'row b'],
    [useOf('a file'), ''],
  ]);
  const path = await backupOf(store.snapshot(), await blobsOf(['a file']), place());
  return { path, bytes: readFileSync(path) };
}

/** The sound one verifies; this one does not, and nothing of it is written. */
async function refused(directory: string, bytes: Buffer): Promise<string> {
  const path = join(directory, 'bad.skep');
  writeFileSync(path, bytes);
  const error: unknown = await verifyBackup(path, pace).then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(BackupFault);
  return (error as Error).message;
}

it('refuses a file that ends early, wherever it ends', { timeout: 60_000 }, async () => {
  const { path, bytes } = await smallBackup();
  await verifyBackup(path, pace);
  const directory = place();
  for (let length = 0; length < bytes.length; length++)
    expect(await refused(directory, bytes.subarray(0, length))).toContain('was truncated');
});

it(
  'refuses a file with one bit turned, wherever it is, and one with something behind it',
  { timeout: 60_000 },
  async () => {
    const { bytes } = await smallBackup();
    const directory = place();
    for (let at = 0; at < bytes.length; at++) {
      const altered = Buffer.from(bytes);
      altered[at]! ^= 1 << (at % 8);
      await refused(directory, altered);
    }
    expect(await refused(directory, Buffer.concat([bytes, Buffer.from('x')]))).toContain('was altered');
  },
);

it('refuses another format, telling which release reads it', async () => {
  const payload = Buffer.from(JSON.stringify({ ...HEADER, format: 2, skep: '9.9.9' }));
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32LE(payload.length, 0);
  head.writeUInt32LE(frameCrc(1, payload), 4);
  head[8] = 1;
  const message = await refused(place(), Buffer.concat([MAGIC, head, payload]));
  expect(message).toContain('is a backup of format 2');
  expect(message).toContain('9.9.9');
});

it('refuses records that a newer release wrote, and a table that it does not know', async () => {
  for (const [no, version] of [
    [TABLES.user.no, 9],
    [29, 1],
  ] as const) {
    const store = new MemoryStore();
    put(store, [[`${u16(no)}u`, 'a user']]);
    const header = { ...HEADER, skep: '9.9.9', records: { ...HEADER.records, [no]: version } };
    const path = await backupOf(store.snapshot(), new MemoryBlobs(), place(), header);
    await expect(verifyBackup(path, pace)).rejects.toThrow(`made by Skep 9.9.9, whose table ${no} is newer`);
  }
});

it('refuses what is no backup', async () => {
  expect(await refused(place(), Buffer.from('a photograph of a beehive'))).toContain('is no backup of a tenant');
});

it('writes no backup that is not the verified one', async () => {
  const { path } = await smallBackup();
  const archive = await openAt(place());
  onTestFinished(() => archive.close());
  const writing = writeBack(path, 'another digest', archive.store(0, 5), () => new MemoryBlobs(), pace);
  await expect(writing).rejects.toThrow('has changed since it was verified');
});

it('leaves out what waits to leave the node', async () => {
  const store = new MemoryStore();
  put(store, [
    [`${u16(TABLES.mail_outbox.no)}m`, 'a mail'],
    [`${u16(TABLES.audit_outbox.no)}e`, 'an event'],
    [`${u16(TABLES.user.no)}u`, 'a user'],
  ]);
  const path = await backupOf(store.snapshot(), new MemoryBlobs(), place());
  const { digest } = await verifyBackup(path, pace);
  const target = new MemoryStore();
  await writeBack(path, digest, target, () => new MemoryBlobs(), pace);
  expect(entriesOf(target.begin())).toEqual([[`${u16(TABLES.user.no)}u`, 'a user']]);
});

it('counts files that are missing, and takes the rest', async () => {
  const store = new MemoryStore();
  put(store, [
    [useOf('here'), ''],
    [useOf('gone'), ''],
  ]);
  const path = await backupOf(store.snapshot(), await blobsOf(['here']), place());
  expect((await verifyBackup(path, pace)).totals).toMatchObject({ blobs: 1, missing_blobs: 1, entries: 2 });
});

it('sweeps a store whole and no neighbour; a retired one takes no other write', async () => {
  const archive = await openAt(place());
  onTestFinished(() => archive.close());
  const store = archive.store(0, 3);
  const neighbours = [archive.store(0, 2), archive.store(0, 4)];
  for (const one of [store, ...neighbours])
    put(
      one,
      Array.from({ length: 1300 }, (_, i) => [`${u16(256)}row ${i}`, 'value'] as const),
    );
  await archive.drain();
  put(store, [[`${u16(10)}late`, 'in the overlay']]);
  const late = store.begin();
  late.put(`${u16(10)}later`, Buffer.from('staged before'));
  const sweeping = archive.retire(0, 3);
  expect(() => late.commit()).toThrow('takes no writes any more');
  expect(await eraseStore(sweeping, pace)).toBe(1301);
  expect(entriesOf(store.begin())).toEqual([]);
  for (const one of neighbours) expect(entriesOf(one.begin())).toHaveLength(1300);
  archive.admit(0, 3);
  put(store, [[`${u16(10)}again`, 'it may']]);
  expect(entriesOf(store.begin())).toHaveLength(1);
});
