/** The files of a directory into parts and a list of them, while others append to them. */
import { createHash } from 'node:crypto';
import { open, readdir, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { limits } from '#config/limits.ts';
import type { Pace } from '#storage/backup/pace.ts';
import type { ListedFile, PartRef } from './manifest.ts';
import { isThere, storePieces, type Storing } from './store-part.ts';

const TRIES_MAX = 5;

/** What a file of a tree is to be; the order in which they are taken is the caller's. */
export type Picks = (path: string) => boolean;

/** Known digests of files that have not changed since: a file is read again when its size, times or place on the disk are others. */
export class KnownFiles {
  readonly #known = new Map<string, { readonly stamp: string; readonly part: PartRef }>();

  find(path: string, stamp: string): PartRef | undefined {
    const found = this.#known.get(path);
    return found?.stamp === stamp ? found.part : undefined;
  }

  note(path: string, stamp: string, part: PartRef): void {
    if (this.#known.size >= limits.backup.knownFilesMax) this.#known.clear();
    this.#known.set(path, { stamp, part });
  }
}

export interface TreeParts extends Storing {
  readonly root: string;
  readonly picks: Picks;
  readonly known: KnownFiles;
  readonly pace: Pace;
}

export interface TakenTree {
  readonly files: ListedFile[];
  readonly bytes: number;
  readonly newBytes: number;
}

/**
 * Takes the files that are there now, each up to the length that it has when its turn comes. A file that was removed meanwhile is left out: what
 * it held had passed its retention.
 */
export async function takeTree(parts: TreeParts): Promise<TakenTree> {
  const files: ListedFile[] = [];
  let [bytes, newBytes] = [0, 0];
  for (const path of await pathsIn(parts.root, '', parts)) {
    const taken = await takeFile(join(parts.root, path), parts);
    if (taken === null) continue;
    files.push({ path, ...taken.part });
    bytes += taken.part.bytes;
    if (!taken.known) newBytes += taken.part.bytes;
    parts.pace.did(1);
    if (parts.pace.over) await parts.pace.rest();
  }
  return { files, bytes, newBytes };
}

async function pathsIn(root: string, under: string, parts: TreeParts): Promise<string[]> {
  const entries = await readdir(join(root, under), { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const paths: string[] = [];
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = under === '' ? entry.name : `${under}/${entry.name}`;
    if (entry.isDirectory()) paths.push(...(await pathsIn(root, path, parts)));
    else if (entry.isFile() && parts.picks(path)) paths.push(path);
  }
  if (parts.pace.over) await parts.pace.rest();
  return paths;
}

type Taken = { readonly part: PartRef; readonly known: boolean };

/** A file of a few bytes that is written in place, such as a mark, may change between two looks; one that keeps changing is none of those that a set takes. */
async function takeFile(path: string, parts: TreeParts): Promise<Taken | null> {
  for (let tries = 1; ; tries++) {
    const taken = await takeOnce(path, parts);
    if (taken !== 'changed') return taken;
    if (tries === TRIES_MAX)
      throw new Error(`${path} was changed while it was read: files of this kind are only appended to; try again`);
  }
}

async function takeOnce(path: string, parts: TreeParts): Promise<Taken | 'changed' | null> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (file === null) return null;
  try {
    const { size, mtimeMs, ctimeMs, ino } = await file.stat();
    const stamp = [size, mtimeMs, ctimeMs, ino].join(' ');
    const part = parts.known.find(path, stamp) ?? (await digestOf(file, size, parts.pace));
    if (await isThere(parts, part)) {
      parts.known.note(path, stamp, part);
      return { part, known: true };
    }
    const stored = await storePieces(parts, piecesOf(file, size), () => breath(parts.pace));
    if (stored.part.sha256 !== part.sha256) return 'changed';
    parts.known.note(path, stamp, part);
    return stored;
  } finally {
    await file.close();
  }
}

async function digestOf(file: FileHandle, size: number, pace: Pace): Promise<PartRef> {
  const hash = createHash('sha256');
  for await (const piece of piecesOf(file, size)) {
    hash.update(piece);
    await breath(pace);
  }
  return { sha256: hash.digest('hex'), bytes: size };
}

async function breath(pace: Pace): Promise<void> {
  if (pace.over) await pace.rest();
}

async function* piecesOf(file: FileHandle, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < size;) {
    const piece = Buffer.allocUnsafeSlow(Math.min(limits.backup.readBytes, size - at));
    const { bytesRead } = await file.read(piece, 0, piece.length, at);
    if (bytesRead === 0) throw new Error(`a file ended at byte ${at} of ${size} while it was read: try again`);
    at += bytesRead;
    yield piece.subarray(0, bytesRead);
  }
}
