/**
 * A tenant as people read it: `entities/<name>.jsonl`, `files/<sha256>`, `manifest.json`, in a directory that has its name only when it
 * is whole.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Pace } from '#storage/backup/pace.ts';
import { nextBlob } from '#storage/backup/take.ts';
import type { BlobStore } from '#storage/blob/port.ts';
import { syncDirectoryAsync } from '#storage/directory.ts';
import type { Snapshot } from '#storage/port.ts';
import type { Activation } from '#actors/host/activation.ts';
import { exportedEntities } from '#actors/data/bulk/export-all.ts';
import type { EntityLines } from '#actors/data/bulk/export-all.ts';
import type { ExportJob, ExportReport } from './job.ts';

const PIECE_CHARS = 64 * 1024;

export interface ExportParts {
  readonly activation: Activation;
  readonly snapshot: Snapshot;
  readonly blobs: BlobStore;
  readonly pace: Pace;
}

/** Throws when the directory is there already or cannot be made; then nothing is left. */
export async function exportTenant({ path, tenant, madeAt }: ExportJob, parts: ExportParts): Promise<ExportReport> {
  if (existsSync(path)) throw new Error(`${path} is there already: name another directory`);
  const partial = `${path}.${randomUUID().slice(0, 8)}.partial`;
  try {
    for (const name of ['', 'entities', 'files']) await mkdir(join(partial, name), { mode: 0o700 });
    const entities: Record<string, number> = {};
    for (const entity of exportedEntities(parts.activation, parts.snapshot))
      entities[entity.name] = await writeEntity(partial, entity, parts.pace);
    const files = await writeFiles(partial, parts);
    const manifest = { tenant, made_at: madeAt, entities, files };
    await into(join(partial, 'manifest.json'), (file) => file.writeFile(`${JSON.stringify(manifest, null, 2)}\n`));
    await rename(partial, path);
    await syncDirectoryAsync(dirname(path));
    const rows = Object.values(entities).reduce((sum, count) => sum + count, 0);
    return { entities: Object.keys(entities).length, rows, files };
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}

async function writeEntity(directory: string, { name, lines }: EntityLines, pace: Pace): Promise<number> {
  let rows = 0;
  await into(join(directory, 'entities', `${name}.jsonl`), async (file) => {
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
    await into(join(directory, 'files', sha256), async (file) => {
      for await (const bytes of blobs.read(sha256, 0, size)) await file.writeFile(bytes);
    });
    files++;
  }
  return files;
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
