/** What the disk can do: the figure beside which every durable one must be read. */
import { closeSync, fdatasyncSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { percentile } from './stats.ts';

export interface FsyncRate {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const BLOCK_BYTES = 4096;
const FILE_BLOCKS = 2048;

/** Writes 4 KiB blocks over a preallocated file in `directory`, one `fdatasync` after each, for `ms` milliseconds. */
export function measureFsync(directory: string, ms: number): FsyncRate {
  const path = join(directory, 'fsync-rate.probe');
  const fd = openSync(path, 'w+', 0o600);
  try {
    const zeros = Buffer.alloc(BLOCK_BYTES * FILE_BLOCKS);
    writeSync(fd, zeros, 0, zeros.length, 0);
    fsyncSync(fd);
    return rateOf(syncLoop(fd, ms));
  } finally {
    closeSync(fd);
    rmSync(path);
  }
}

/** Milliseconds of each write and sync. */
function syncLoop(fd: number, ms: number): number[] {
  const block = Buffer.alloc(BLOCK_BYTES, 0x5a);
  const took: number[] = [];
  const end = performance.now() + ms;
  for (let now = performance.now(); now < end;) {
    writeSync(fd, block, 0, BLOCK_BYTES, (took.length % FILE_BLOCKS) * BLOCK_BYTES);
    fdatasyncSync(fd);
    const after = performance.now();
    took.push(after - now);
    now = after;
  }
  return took;
}

function rateOf(took: readonly number[]): FsyncRate {
  const total = took.reduce((sum, one) => sum + one, 0);
  return { perSecond: (took.length * 1000) / total, p50Ms: percentile(took, 50), p99Ms: percentile(took, 99) };
}
