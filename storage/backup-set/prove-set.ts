/** Proof of a set: a directory that was restored from it gives, when it is backed up again, the digests that the set names. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openArchive, type Archive } from '../archive.ts';
import { BackupFault, type BackupHeader } from '#storage/backup/format.ts';
import { readBackup } from '#storage/backup/read-backup.ts';
import { takeBackup } from '#storage/backup/take.ts';
import type { BlobStore } from '#storage/blob/port.ts';
import { findJournals, nextEpoch } from '#storage/journal/directories.ts';
import { FramesIntoPart } from './frames-into-part.ts';
import type { ListedFile, SetManifest, SetTenant } from './manifest.ts';
import { fetchPart, readListPart, type Reading } from './read-part.ts';
import { storeAt, UNHURRIED } from './restore-set.ts';
import type { StoredRef } from './store-part.ts';

const NO_TABLE: ReadonlySet<number> = new Set();

/** Throws BackupFault, which names the tenant or file, where a restored directory is not what the set says. The directory may not be served. */
export async function proveSet(manifest: SetManifest, from: Reading, directory: string): Promise<void> {
  const numbers = Array.from({ length: manifest.shards }, (_, no) => no);
  const archive = await openArchive({
    dataDir: directory,
    shards: numbers,
    epoch: nextEpoch(directory),
    name: 'proof',
    replay: findJournals(directory),
    onFatal: () => undefined, // nothing is written
  });
  try {
    for (const tenant of manifest.tenants) await proveTenant(archive, tenant, from, directory);
  } finally {
    await archive.close();
  }
  for (const { as, list } of manifest.trees)
    for await (const file of readListPart(from, list, `the list of ${as}`))
      await proveBytes(createReadStream(join(directory, as, file.path!)), file, `${as}/${file.path}`);
}

async function proveTenant(archive: Archive, tenant: SetTenant, from: Reading, directory: string): Promise<void> {
  const files: ListedFile[] = [];
  for await (const file of readListPart(from, tenant.list, `the list of the files of ${tenant.key}`)) files.push(file);
  const sink = new HashedPart();
  const frames = new FramesIntoPart(sink);
  const snapshot = archive.store(tenant.shard, tenant.no).snapshot();
  let found = 0;
  try {
    await takeBackup({
      reader: snapshot,
      blobs: storeAt(directory, tenant.no, undefined),
      stores: storesOf(files, directory, tenant.no),
      header: await headerOf(tenant, from, directory),
      writer: frames,
      pace: UNHURRIED,
      without: NO_TABLE,
      apart: async (kept, { sha256, size }) => {
        found++;
        await proveBytes(kept.read(sha256, 0, size), { sha256, bytes: size }, `a file of ${tenant.key}`);
      },
    });
  } finally {
    snapshot.close();
  }
  const { part } = await frames.end();
  if (part.sha256 !== tenant.rows.sha256 || found !== files.length)
    throw new BackupFault(tenant.key, 'restored, is not what was backed up: report it, and make a new set');
}

function storesOf(files: readonly ListedFile[], directory: string, no: number): Map<string, BlobStore> {
  const names = new Set(files.flatMap(({ store }) => store ?? []));
  return new Map([...names].toSorted().map((name) => [name, storeAt(directory, no, name)]));
}

/** The header of the rows, which says how they were taken. */
async function headerOf(tenant: SetTenant, from: Reading, directory: string): Promise<BackupHeader> {
  const path = join(directory, 'proving.rows');
  await fetchPart(from, tenant.rows, `the rows of ${tenant.key}`, path);
  try {
    for await (const part of readBackup(path)) if (part.kind === 'header') return part.header;
    throw new BackupFault(path, 'has no header');
  } finally {
    await rm(path);
  }
}

async function proveBytes(pieces: AsyncIterable<Uint8Array>, file: ListedFile, name: string): Promise<void> {
  const hash = createHash('sha256');
  for await (const piece of pieces) hash.update(piece);
  if (hash.digest('hex') !== file.sha256) throw new BackupFault(name, 'restored, has other bytes than the set names');
}

/** A part that is hashed and not stored. */
class HashedPart {
  readonly #hash = createHash('sha256');
  #bytes = 0;

  write(bytes: Uint8Array): Promise<void> {
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
    return Promise.resolve();
  }

  end(): Promise<StoredRef> {
    return Promise.resolve({ part: { sha256: this.#hash.digest('hex'), bytes: this.#bytes }, known: true });
  }

  drop(): Promise<void> {
    return Promise.resolve();
  }
}
