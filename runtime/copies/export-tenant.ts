/**
 * Exports a tenant in a readable form, into a directory that gets its name only when it is complete: `entities/<name>.jsonl`,
 * `versions/<name>.jsonl` where an entity keeps old versions, `users.jsonl`, `files/<sha256>`, `content/<store>/<sha256>`,
 * `content/<store>/index/<name>` where files are its index, `manifest.json`.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm, type FileHandle } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Pace } from '#storage/backup/pace.ts';
import { nextBlob } from '#storage/backup/take.ts';
import type { BlobReceipt, BlobStore } from '#storage/blob/port.ts';
import { syncDirectoryAsync } from '#storage/directory.ts';
import type { Snapshot } from '#storage/port.ts';
import type { Activation } from '#actors/host/activation.ts';
import { exportedEntities } from '#actors/data/bulk/export-all.ts';
import { exportedUsers } from '#actors/identity/export-users.ts';
import type { ExportJob, ExportReport } from './job.ts';

const PIECE_CHARS = 64 * 1024;

export interface ExportParts {
  readonly activation: Activation;
  readonly snapshot: Snapshot;
  readonly blobs: BlobStore;
  /** Content stores by name. */
  readonly stores: ReadonlyMap<string, BlobStore>;
  readonly pace: Pace;
}

/** Throws when the directory exists or cannot be made; then nothing is left behind. */
export async function exportTenant({ path, tenant, madeAt }: ExportJob, parts: ExportParts): Promise<ExportReport> {
  if (existsSync(path)) throw new Error(`${path} exists already: name another directory`);
  const partial = `${path}.${randomUUID().slice(0, 8)}.partial`;
  try {
    for (const name of ['', 'entities', 'versions', 'files', 'content'])
      await mkdir(join(partial, name), { mode: 0o700 });
    const { entities, versions } = await writeEntities(partial, parts);
    const users = await writeLines(join(partial, 'users.jsonl'), exportedUsers(parts.snapshot), parts.pace);
    const files = await writeFiles(partial, parts);
    const content: Record<string, number> = {};
    for (const [store, kept] of parts.stores) content[store] = await writeStore(partial, store, kept, parts.pace);
    const manifest = { tenant, made_at: madeAt, entities, versions, users, files, content };
    await into(join(partial, 'manifest.json'), (file) => file.writeFile(`${JSON.stringify(manifest, null, 2)}\n`));
    await rename(partial, path);
    await syncDirectoryAsync(dirname(path));
    const assets = sum(content);
    return {
      entities: Object.keys(entities).length,
      rows: sum(entities),
      versions: sum(versions),
      users,
      files,
      assets,
    };
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((all, count) => all + count, 0);

async function writeEntities(directory: string, { activation, snapshot, pace }: ExportParts) {
  const entities: Record<string, number> = {};
  const versions: Record<string, number> = {};
  for (const { name, lines, versions: old } of exportedEntities(activation, snapshot)) {
    entities[name] = await writeLines(join(directory, 'entities', `${name}.jsonl`), lines, pace);
    if (old !== null) versions[name] = await writeLines(join(directory, 'versions', `${name}.jsonl`), old, pace);
  }
  return { entities, versions };
}

/** The number of lines. */
async function writeLines(path: string, lines: Iterable<string>, pace: Pace): Promise<number> {
  let rows = 0;
  await into(path, async (file) => {
    let text = '';
    for (const line of lines) {
      rows++;
      pace.did(1);
      text += line;
      if (text.length >= PIECE_CHARS) {
        await file.writeFile(text);
        text = '';
      }
      if (pace.over) await pace.rest();
    }
    await file.writeFile(text);
  });
  return rows;
}

async function writeFiles(directory: string, { snapshot, blobs, pace }: ExportParts): Promise<number> {
  let files = 0;
  for (let digest = nextBlob(snapshot, ''); digest !== null; digest = nextBlob(snapshot, digest)) {
    const sha256 = Buffer.from(digest, 'latin1').toString('hex');
    const size = await blobs.size(sha256);
    await pace.rest();
    if (size === null) continue;
    await writeFile(join(directory, 'files', sha256), blobs, { sha256, size });
    files++;
  }
  return files;
}

/** Every file in a content store, used or not. */
async function writeStore(directory: string, store: string, kept: BlobStore, pace: Pace): Promise<number> {
  let files = 0;
  await mkdir(join(directory, 'content', store), { mode: 0o700 });
  await writeNotes(join(directory, 'content', store, 'index'), kept, pace);
  for await (const sha256 of kept.digests()) {
    const size = await kept.size(sha256);
    await pace.rest();
    if (size === null) continue; // deleted before it could be held
    await writeFile(join(directory, 'content', store, sha256), kept, { sha256, size });
    files++;
  }
  return files;
}

async function writeNotes(directory: string, { notes }: BlobStore, pace: Pace): Promise<void> {
  const names = (await notes?.names()) ?? [];
  if (names.length > 0) await mkdir(directory, { mode: 0o700 });
  for (const name of names) {
    const text = await notes!.read(name);
    if (text !== null) await into(join(directory, name), (file) => file.writeFile(text));
    if (pace.over) await pace.rest();
  }
}

function writeFile(path: string, blobs: BlobStore, { sha256, size }: BlobReceipt): Promise<void> {
  return into(path, async (file) => {
    for await (const bytes of blobs.read(sha256, 0, size)) await file.writeFile(bytes);
  });
}

/** Writes one file and makes it durable. */
async function into(path: string, write: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await write(file);
    await file.sync();
  } finally {
    await file.close();
  }
}
