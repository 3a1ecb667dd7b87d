/** Room on the disk: below the watermark turns are refused; the ballast is room kept back so that a shutdown can finish. */
import { existsSync, renameSync, rmSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { limits } from '#config/limits.ts';
import { syncDirectory } from './directory.ts';
import { preallocate } from './journal/segment.ts';

export interface SpaceOptions {
  readonly freeBytesMin?: number;
  readonly everyMs?: number;
}

/** Watches the free space of a directory's file system. */
export class Space {
  readonly #path: string;
  readonly #freeBytesMin: number;
  readonly #timer: NodeJS.Timeout;
  #free = Number.POSITIVE_INFINITY;

  constructor(path: string, options: SpaceOptions = {}) {
    this.#path = path;
    this.#freeBytesMin = options.freeBytesMin ?? limits.storage.freeBytesMin;
    this.#timer = setInterval(() => void this.check(), options.everyMs ?? limits.storage.freeSpaceCheckMs).unref();
  }

  get hasRoom(): boolean {
    return this.#free >= this.#freeBytesMin;
  }

  get freeBytes(): number {
    return this.#free;
  }

  /** Measures now. A disk that cannot be asked counts as it was: its next sync tells. */
  async check(): Promise<void> {
    try {
      const { bavail, bsize } = await statfs(this.#path);
      this.#free = bavail * bsize;
    } catch {
      return;
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

const ballastPath = (dataDir: string): string => join(dataDir, 'ballast');

/** Makes the ballast file when it is missing and the disk has room for it. Called by who holds the directory's lock. */
export async function loadBallast(dataDir: string, bytes: number): Promise<void> {
  const path = ballastPath(dataDir);
  if (bytes === 0 || existsSync(path)) return;
  try {
    await preallocate(`${path}.new`, bytes);
    renameSync(`${path}.new`, path);
    syncDirectory(dataDir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    rmSync(`${path}.new`, { force: true });
  }
}

/** Gives the ballast's room to whoever still has to write. */
export function dropBallast(dataDir: string): void {
  rmSync(ballastPath(dataDir), { force: true });
}
