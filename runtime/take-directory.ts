/** Takes the data directory for this process: its lock, its mark, its layout, and room on its disk. */
import { mkdirSync } from 'node:fs';
import { limits } from '#config/limits.ts';
import type { Platform } from '#config/platform.ts';
import { hasNoRoom } from '#storage/fault.ts';
import { markFormat, type DirectoryFormat } from '#storage/format.ts';
import { DirectoryHeld, lockDirectory, type DirectoryLock } from '#storage/lock.ts';
import { compareWithMark } from '#storage/outside-mark.ts';
import { loadBallast, makeRoom } from '#storage/space.ts';
import type { Log } from '#actors/host/activation.ts';
import { skepVersion } from './version.ts';

export interface TakenDirectory {
  /** The directory's id; null unless the platform file names a mark outside it (`storage.mark`). */
  readonly markId: string | null;
  readonly unlock: () => void;
}

/** Throws with a message for operators when the directory is taken, was written by a newer skep, or is older than its mark. */
export async function takeDirectory({ storage, service }: Platform, log: Log): Promise<TakenDirectory> {
  const { dir, mark, ballast_bytes } = storage;
  const free_bytes_min = service === 'audit' ? 0 : storage.free_bytes_min; // the audit service watches the disk of its logs itself
  makeDataDirectory(dir);
  const lock = await lockWhenFree(dir);
  try {
    tellFull(storage, makeRoom(dir, free_bytes_min), log);
    const markId = mark === undefined ? null : await compareWithMark(dir, mark);
    tellUpgrade(dir, markFormat(dir, skepVersion()), log);
    await loadBallast(dir, ballast_bytes, free_bytes_min);
    return { markId, unlock: () => lock.release() };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** A command that looks into the stores of a stopped node (`skep cluster status`) has the directory for a moment: a start beside it waits for that, and does not fail. */
async function lockWhenFree(dir: string): Promise<DirectoryLock> {
  const { lockLookMs, lockWaitMs } = limits.storage;
  for (const end = performance.now() + lockWaitMs; ;) {
    try {
      return await lockDirectory(dir);
    } catch (error) {
      if (!(error instanceof DirectoryHeld) || performance.now() > end) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, lockLookMs));
  }
}

function makeDataDirectory(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'EEXIST' || code === 'ENOTDIR' ? 'a file is in its way' : (error as Error).message;
    const mend = 'name another one: storage.dir of the platform file, or SKEP_DATA';
    throw new Error(`${dataDir} cannot be the data directory: ${why}\n    ${mend}`, { cause: error });
  }
}

/** Reports a start on a full disk. A later start that finds room makes the ballast and the segments again. */
function tellFull({ dir, free_bytes_min }: Platform['storage'], free: number | null, log: Log): void {
  if (free === null) return;
  const meaning =
    'the ballast and unused journal segments were given up; reads and deletes go on, other writes are refused until there is room';
  log.warn({ dir, free_bytes: free, free_bytes_min }, `the disk is full at the start: ${meaning}`);
}

/** For a start that found no room, and nothing left that could be given up: what an operator does. Other errors are given back. */
export function explainFull(error: unknown, dir: string): unknown {
  if (!hasNoRoom(error)) return error;
  const mend = 'make room beside it (some megabytes let a node start, read and delete); remove nothing inside of it';
  return new Error(`the disk of ${dir} is full: a start has to write there\n    ${mend}`, { cause: error });
}

/** Reports that another version of skep served the directory last. */
function tellUpgrade(dir: string, before: DirectoryFormat | null, log: Log): void {
  const now = skepVersion();
  if (before === null || before.skep === now) return;
  log.info({ dir, before: before.skep, now }, 'the data directory was last served by another version of skep');
}
