/** Directory entries that survive power loss: a created or renamed file exists only after its directory was synced. */
import { chmodSync, closeSync, existsSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Syncs the entries of a directory. Throws what the operating system refuses. */
export function syncDirectory(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** As syncDirectory, without holding the thread. */
export async function syncDirectoryAsync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Where this process may not even read, on a file system without writes, and where directories take no sync, it has made nothing. */
const NOT_OURS: ReadonlySet<string> = new Set(['EACCES', 'EINVAL', 'EROFS']);

/** Makes a directory and its missing parents, each one durable. Gives the path back. */
export function makeDirectory(path: string): string {
  if (existsSync(path)) return path;
  const parent = dirname(path);
  settleDirectory(parent);
  makeOne(path);
  syncDirectory(parent);
  return path;
}

/**
 * As makeDirectory, and durable also where it was there: a process may have ended, or a sync failed, between its making and the sync of its name. Parents of
 * one that is there are durable, since each was before the next was made. For what is opened once, since it always syncs; what makes many takes `Directories`.
 */
export function settleDirectory(path: string): string {
  if (!existsSync(path)) return makeDirectory(path);
  try {
    syncDirectory(dirname(path));
  } catch (error) {
    if (!NOT_OURS.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
  return path;
}

/** More are settled anew. */
const SETTLED_MAX = 4096;

/** The directories of one owner, which makes many: as `settleDirectory`, which syncs the name of each once. */
export class Directories {
  readonly #settled = new Set<string>();

  make(path: string): string {
    if (this.#settled.has(path) && existsSync(path)) return path;
    settleDirectory(path);
    if (this.#settled.size === SETTLED_MAX) this.#settled.clear();
    this.#settled.add(path);
    return path;
  }
}

/** Without `recursive`, with which Node says ENOENT of a file system that is mounted read-only. Another thread may have made it meanwhile. */
function makeOne(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

const OTHERS = 0o077;

/** Removes the rights of group and others on a file or directory. One that belongs to another user stays as it is. */
export function keepPrivate(path: string): void {
  const { mode, uid } = statSync(path);
  if ((mode & OTHERS) !== 0 && uid === process.geteuid!()) chmodSync(path, mode & 0o7777 & ~OTHERS);
}
