/** A whole data directory out of a set. It has its name only when all of it is there, checked and durable. */
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openArchive, shardPath, type Archive } from '../archive.ts';
import { BackupFault } from '#storage/backup/format.ts';
import type { Pace } from '#storage/backup/pace.ts';
import { verifyBackup, writeBack } from '#storage/backup/write-back.ts';
import { DirectoryBlobs } from '#storage/blob/directory.ts';
import type { BlobStore } from '#storage/blob/port.ts';
import { makeDirectory, syncDirectoryAsync } from '../directory.ts';
import { nextEpoch } from '#storage/journal/directories.ts';
import { REVISION, type ListedFile, type SetManifest, type SetTenant, type SetTree } from './manifest.ts';
import { fetchPart, readListPart, readPart, type Reading } from './read-part.ts';

export interface RestoreWish {
  readonly manifest: SetManifest;
  readonly from: Reading;
  /** Absent, or empty. */
  readonly into: string;
  readonly told: (step: string) => void;
}

export interface RestoredSet {
  readonly tenants: number;
  readonly entries: number;
  readonly files: number;
}

/** A process that restores has no other work. */
export const UNHURRIED: Pace = {
  over: false,
  did: () => undefined,
  rest: () => Promise.resolve(),
  wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

/** Throws BackupFault, which names the part, where a part is missing or altered; then nothing is left behind. */
export async function restoreSet(wish: RestoreWish): Promise<RestoredSet> {
  const into = wish.into.replace(/\/+$/, '');
  assertFree(into);
  const partial = `${into}.${randomUUID().slice(0, 8)}.partial`;
  try {
    makeDirectory(partial);
    const sum = await writeTenants(wish, partial);
    for (const tree of wish.manifest.trees) sum.files += await writeTree(wish, tree, partial);
    if (existsSync(into)) await rmdir(into);
    await rename(partial, into);
    await syncDirectoryAsync(dirname(into));
    return sum;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}

function assertFree(into: string): void {
  if (!existsSync(into) || readdirSync(into).length === 0) return;
  throw new Error(
    `${into} is there already and not empty: nothing is written over\n    name another directory, or move this one away`,
  );
}

async function writeTenants({ manifest, from, told }: RestoreWish, directory: string) {
  const sum = { tenants: 0, entries: 0, files: 0 };
  const archive = await openWhole(directory, manifest.shards);
  try {
    for (const tenant of manifest.tenants) {
      told(tenant.key);
      const rows = join(directory, 'restoring.rows');
      await fetchPart(from, tenant.rows, `the rows of ${tenant.key}`, rows);
      await writeRows(archive, tenant, rows, directory);
      await rm(rows);
      await writeFiles(from, tenant, directory);
      sum.tenants++;
      sum.entries += tenant.entries;
      sum.files += tenant.files;
    }
  } finally {
    await archive.close();
  }
  return sum;
}

function openWhole(dataDir: string, shards: number): Promise<Archive> {
  const numbers = Array.from({ length: shards }, (_, no) => no);
  for (const no of numbers) makeDirectory(shardPath(dataDir, no));
  return openArchive({
    dataDir,
    shards: numbers,
    epoch: nextEpoch(dataDir),
    name: 'restore',
    replay: [],
    onFatal: () => undefined, // whatever waits for the archive rejects with it
  });
}

async function writeRows(archive: Archive, { key, no, shard }: SetTenant, rows: string, directory: string) {
  const { digest, header } = await verifyBackup(rows, UNHURRIED);
  if (header.tenant !== key) throw new BackupFault(rows, `holds ${header.tenant}, and the set says that it is ${key}`);
  const blobsOf = (store: string | undefined): BlobStore => storeAt(directory, no, store);
  await writeBack(rows, digest, archive.store(shard, no), blobsOf, UNHURRIED);
}

/** Where a restored directory has a file of a tenant. Content stores that lay elsewhere are brought here, too. */
export function storeAt(directory: string, tenantNo: number, store: string | undefined): BlobStore {
  if (store === REVISION) return new DirectoryBlobs(join(directory, 'revisions'));
  if (store !== undefined) return new DirectoryBlobs(join(directory, 'content', String(tenantNo), store));
  return new DirectoryBlobs(join(directory, 'blobs', String(tenantNo)));
}

async function writeFiles(from: Reading, { key, list, no }: SetTenant, directory: string): Promise<void> {
  for await (const file of readListPart(from, list, `the list of the files of ${key}`)) {
    const label = `a file of ${key}${file.store === undefined ? '' : ` in ${file.store}`}`;
    const upload = await storeAt(directory, no, file.store).begin();
    try {
      for await (const piece of readPart(from, file, label)) await upload.write(piece);
      await upload.seal();
      await upload.publish();
    } finally {
      await upload.drop();
    }
  }
}

async function writeTree({ from, told }: RestoreWish, tree: SetTree, directory: string): Promise<number> {
  told(tree.as);
  const made = new Set<string>();
  let files = 0;
  for await (const file of readListPart(from, tree.list, `the list of ${tree.as}`)) {
    const path = pathIn(directory, tree, file);
    made.add(makeDirectory(dirname(path)));
    await fetchPart(from, file, `${tree.as}/${file.path}`, path);
    files++;
  }
  for (const path of made) await syncDirectoryAsync(path);
  return files;
}

function pathIn(directory: string, { as }: SetTree, { path }: ListedFile): string {
  if (path === undefined) throw new BackupFault(as, 'lists a file without a path');
  return join(directory, as, path);
}
