/**
 * Room on the disk. Below the watermark turns are refused. The ballast is room kept back, so that a shutdown can finish, or a start that
 * reads and deletes. What was accepted and is not written yet counts as taken: the journals and LMDB will write it.
 */
import { existsSync, readdirSync, renameSync, rmSync, statfsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { limits } from '#config/limits.ts';
import { syncDirectory } from './directory.ts';
import { hasNoRoom } from './fault.ts';
import { findJournals } from './journal/directories.ts';
import { preallocate } from './journal/segment.ts';

export interface SpaceOptions {
  readonly freeBytesMin?: number;
  /** How often the disk is looked at; null: only as bytes are let in. */
  readonly everyMs?: number | null;
  /** Bytes that were accepted for this file system and are not on it yet, of all archives that share it. */
  readonly pending?: () => number;
  /** Bytes that the file system has left; another in tests. Throws when it cannot be asked. */
  readonly freeBytes?: (path: string) => number;
}

function freeBytesOf(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}

const nothing = (): number => 0;

/** Watches the free space of a directory's file system. */
export class Space {
  readonly #path: string;
  readonly #freeBytesMin: number;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #pending: () => number;
  readonly #freeBytes: ((path: string) => number) | undefined;
  #free = Number.POSITIVE_INFINITY;
  #looks = 0;
  /** Bytes admitted since the last measurement; they count as taken until the next one. The first value makes the first turn measure. */
  #taken = limits.storage.freeLookBytes;

  constructor(path: string, options: SpaceOptions = {}) {
    this.#path = path;
    this.#freeBytesMin = options.freeBytesMin ?? limits.storage.freeBytesMin;
    this.#pending = options.pending ?? nothing;
    this.#freeBytes = options.freeBytes;
    const { everyMs = limits.storage.freeSpaceCheckMs } = options;
    if (everyMs !== null) this.#timer = setInterval(() => void this.check(), everyMs).unref();
  }

  get hasRoom(): boolean {
    return this.hasRoomFor(0);
  }

  get freeBytes(): number {
    return this.#free;
  }

  /** Whether so much more may be taken and the watermark still stands. */
  hasRoomFor(bytes: number): boolean {
    return this.#left - bytes >= this.#freeBytesMin;
  }

  get #left(): number {
    return this.#free - this.#pending();
  }

  /**
   * Whether a turn that will take so many bytes may join; if so, they are counted. A turn that takes more away than it adds may use what lies
   * below the watermark, down to a last reserve. Before a refusal the disk is measured again: it may have got room since.
   */
  admits(bytes: number, frees: boolean): boolean {
    const min = frees ? Math.min(limits.storage.freeBytesRest, this.#freeBytesMin) : this.#freeBytesMin;
    const isOld = this.#taken + bytes >= limits.storage.freeLookBytes;
    if (isOld || !this.#fits(bytes, min)) {
      this.look();
      if (!this.#fits(bytes, min)) return false;
    }
    this.#taken += bytes;
    return true;
  }

  #fits(bytes: number, min: number): boolean {
    return this.#left - this.#taken - bytes >= min;
  }

  /** Measures at once, in some microseconds. A disk that cannot be measured keeps its last figure: its next sync shows the failure. */
  look(): void {
    try {
      this.#free = (this.#freeBytes ?? freeBytesOf)(this.#path);
      this.#taken = 0;
      this.#looks++;
    } catch {
      return;
    }
  }

  /** Measures without holding the thread: a disk that hangs must not. */
  async check(): Promise<void> {
    if (this.#freeBytes !== undefined) return this.look();
    const taken = this.#taken;
    const looks = this.#looks;
    try {
      const { bavail, bsize } = await statfs(this.#path);
      if (looks !== this.#looks) return; // a newer measurement was made meanwhile
      this.#free = bavail * bsize;
      this.#taken = Math.max(0, this.#taken - taken);
    } catch {
      return;
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

const ballastPath = (dataDir: string): string => join(dataDir, 'ballast');

/**
 * Makes the ballast file when it is missing and the disk has room for it above the watermark. To be called by the holder of the
 * directory's lock.
 */
export async function loadBallast(dataDir: string, bytes: number, freeBytesMin = 0): Promise<void> {
  const path = ballastPath(dataDir);
  if (bytes === 0 || existsSync(path) || freeBytesOf(dataDir) - bytes < freeBytesMin) return;
  try {
    await preallocate(`${path}.new`, bytes);
    renameSync(`${path}.new`, path);
    syncDirectory(dataDir);
  } catch (error) {
    if (!hasNoRoom(error)) throw error;
    rmSync(`${path}.new`, { force: true });
  }
}

/** Gives the ballast's room to whatever still has to be written. */
export function dropBallast(dataDir: string): void {
  rmSync(ballastPath(dataDir), { force: true });
}

/**
 * For a start below the watermark: gives up the ballast, and the unused segments that earlier journals had made ready. With that room a
 * node opens its stores, reads and deletes. Gives the bytes that are free then, null where there was room enough.
 */
export function makeRoom(dataDir: string, freeBytesMin: number): number | null {
  if (freeBytesOf(dataDir) >= freeBytesMin) return null;
  dropBallast(dataDir);
  rmSync(`${ballastPath(dataDir)}.new`, { force: true });
  for (const journal of findJournals(dataDir))
    for (const name of readdirSync(journal)) if (name.endsWith('.spare')) rmSync(join(journal, name), { force: true });
  return freeBytesOf(dataDir);
}
