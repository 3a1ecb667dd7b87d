/** What backup tests share: a pace that never waits, a store's entries, and a backup of a store and its files. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { BackupHeader } from '#storage/backup/format.ts';
import { FrameWriter } from '#storage/backup/frame-writer.ts';
import type { Pace } from '#storage/backup/pace.ts';
import { OF_NODE, takeBackup } from '#storage/backup/take.ts';
import { MemoryBlobs } from '#test/storage/blob/memory.ts';
import type { BlobStore } from '#storage/blob/port.ts';
import { RECORD_VERSIONS, TABLES } from '#storage/catalogue.ts';
import { u16 } from '#storage/key.ts';
import type { Bytes, Reader, Store } from '#storage/port.ts';

/** Rests whenever it is asked to, so that others run between any two steps. */
export const pace: Pace = {
  over: true,
  did: () => undefined,
  rest: () => new Promise((resolve) => void setImmediate(resolve)),
  wait: (ms) => new Promise((resolve) => void setTimeout(resolve, ms)),
};

export const HEADER: BackupHeader = {
  format: 1,
  tenant: 'acme:shop:dev:main',
  state: 'active',
  product: { name: 'shop', checksum: 'c' },
  journal: 7,
  made_at: '2026-01-01T00:00:00.000Z',
  skep: '1.0.0',
  records: RECORD_VERSIONS,
};

export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The key that says that a row uses a file. */
export function useOf(text: string): Bytes {
  return `${u16(TABLES.blob_use.no)}${Buffer.from(digestOf(text), 'hex').toString('latin1')}row`;
}

export async function blobsOf(texts: readonly string[], blobs: BlobStore = new MemoryBlobs()): Promise<BlobStore> {
  for (const text of texts) {
    const upload = await blobs.begin();
    await upload.write(Buffer.from(text));
    await upload.seal();
    await upload.publish();
  }
  return blobs;
}

export function put(store: Store, entries: Iterable<readonly [Bytes, string | null]>): void {
  const turn = store.begin();
  for (const [key, value] of entries) {
    if (value === null) turn.del(key);
    else turn.put(key, Buffer.from(value, 'latin1'));
  }
  turn.commit();
}

export function entriesOf(reader: Reader): [Bytes, string][] {
  return Array.from(reader.range('', '\xff\xff\xff'), ({ key, value }) => [key, Buffer.from(value).toString('latin1')]);
}

/** Writes `<directory>/b.skep` and gives its path. */
export async function backupOf(
  reader: Reader,
  blobs: BlobStore,
  directory: string,
  header: BackupHeader = HEADER,
  stores: ReadonlyMap<string, BlobStore> = new Map(),
): Promise<string> {
  const path = join(directory, 'b.skep');
  const writer = await FrameWriter.create(path);
  await takeBackup({ reader, blobs, stores, header, writer, pace, without: OF_NODE });
  await writer.seal();
  await writer.publish(true);
  return path;
}
