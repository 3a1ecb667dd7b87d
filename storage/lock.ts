/** One node for each data directory: an flock that the kernel lets go when the process ends, however it ends. */
import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { keepPrivate, settleDirectory } from './directory.ts';
import { hasNoRoom } from './fault.ts';
import { refuseNewerFormat } from './format.ts';
import { loadC } from './libc.ts';

/** Another process holds the data directory. */
export class DirectoryHeld extends Error {
  readonly pid: number | null;

  constructor(dataDir: string, pid: number | null) {
    super(
      `${dataDir} is in use by another skep${pid === null ? '' : ` (process ${pid})`}: stop it, or name another directory`,
    );
    this.pid = pid;
  }
}

export interface DirectoryLock {
  release(): void;
}

const LOCK_EXCLUSIVE = 2;
const LOCK_NO_WAIT = 4;

/**
 * Takes the data directory for this process, and makes it unreadable for other users. Throws DirectoryHeld, which names the holder's
 * process id, and an error where a newer Skep has written to the directory.
 */
export async function lockDirectory(dataDir: string): Promise<DirectoryLock> {
  settleDirectory(dataDir);
  const path = join(dataDir, 'lock');
  const fd = openSync(path, 'a+', 0o600);
  const flock = await loadC<Flock>('int flock(int fd, int operation)');
  if (flock(fd, LOCK_EXCLUSIVE | LOCK_NO_WAIT) !== 0) {
    closeSync(fd);
    throw new DirectoryHeld(dataDir, holder(path));
  }
  try {
    refuseNewerFormat(dataDir);
    keepPrivate(dataDir);
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  notePid(fd);
  return { release: () => closeSync(fd) };
}

/** Writes the holder's process id into the lock file, for people. On a full disk there is no room for it; the lock works without it. */
function notePid(fd: number): void {
  try {
    ftruncateSync(fd);
    writeSync(fd, String(process.pid));
  } catch (error) {
    if (!hasNoRoom(error)) throw error;
  }
}

type Flock = (fd: number, operation: number) => number;

function holder(path: string): number | null {
  const pid = Number(readFileSync(path, 'utf8'));
  return Number.isInteger(pid) && pid > 0 ? pid : null;
}
