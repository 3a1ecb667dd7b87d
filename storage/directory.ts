/** Directory entries that survive power loss: a created or renamed file exists only after its directory was synced. */
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
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
  mkdirSync(path, { recursive: true, mode: 0o700 });
  syncDirectory(parent);
  return path;
}
