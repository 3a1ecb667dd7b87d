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

/** Makes a directory and its missing parents, each one durable. Gives the path back. */
export function makeDirectory(path: string): string {
  if (existsSync(path)) return path;
  const parent = makeDirectory(dirname(path));
  makeOne(path);
  syncDirectory(parent);
  return path;
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
