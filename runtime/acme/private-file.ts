/** Files that only the node's user reads. A file is whole, or the one before: it is written beside its place, synced and renamed. */
import { open, readFile, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeDirectory, syncDirectoryAsync } from '#storage/directory.ts';

const MODE = 0o600;
const UNFINISHED = '.unfinished';

/** Writes a file of mode 0600; its directory is made, with mode 0700, where it is missing. */
export async function writePrivately(path: string, text: string): Promise<void> {
  makeDirectory(dirname(path));
  const beside = `${path}${UNFINISHED}`;
  await rm(beside, { force: true });
  const handle = await open(beside, 'wx', MODE);
  try {
    await handle.chmod(MODE); // a umask may have taken even the owner's rights
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(beside, path);
  await syncDirectoryAsync(dirname(path));
}

/** Null where there is no file. */
export async function readIfThere(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}

/** Removes what a crash left half written. */
export async function removeUnfinished(directory: string): Promise<void> {
  const names = await readdir(directory).catch(() => []);
  for (const name of names) if (name.endsWith(UNFINISHED)) await rm(join(directory, name), { force: true });
}
