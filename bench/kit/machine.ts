/** Where a figure was measured: without it a figure means nothing. */
import { execFileSync } from 'node:child_process';
import { readFileSync, statfsSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface Machine {
  readonly date: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly kernel: string;
  readonly node: string;
  /** Commit of the working tree, with `+` when it has changes; null outside a checkout. */
  readonly commit: string | null;
  /** File system of the data directory. */
  readonly fileSystem: string;
}

export function describeMachine(dataDir: string, now: Date): Machine {
  return {
    date: now.toISOString(),
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
    commit: commitOf(ROOT),
    fileSystem: fileSystemOf(dataDir),
  };
}

/** Twelve digits, with `+` when there are changes; null outside a checkout. */
export function commitOf(root: string): string | null {
  try {
    const git = (...args: string[]): string =>
      execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
    return git('rev-parse', '--short=12', 'HEAD') + (git('status', '--porcelain') === '' ? '' : '+');
  } catch {
    return null;
  }
}

/** File system magic numbers of Linux (statfs(2)) on which people keep data. */
const FILE_SYSTEMS: Readonly<Record<number, string>> = {
  0xef53: 'ext4',
  0x58465342: 'xfs',
  0x9123683e: 'btrfs',
  0x2fc12fc1: 'zfs',
  0x01021994: 'tmpfs',
  0x794c7630: 'overlayfs',
  0x6969: 'nfs',
};

/** The file system's name, or its number when it is an unusual one. */
function fileSystemOf(directory: string): string {
  const { type } = statfsSync(directory);
  return FILE_SYSTEMS[type] ?? `0x${type.toString(16)}`;
}

/** Resident memory of a process in bytes. `status` is the text of `/proc/<pid>/status`. */
export function residentBytes(status: string): number {
  const match = /^VmRSS:\s+(\d+) kB$/m.exec(status);
  if (match === null) throw new Error('no VmRSS in the status of the process');
  return Number(match[1]) * 1024;
}

export function residentBytesOf(pid: number): number {
  return residentBytes(readFileSync(`/proc/${pid}/status`, 'utf8'));
}

/** Clock ticks of Linux's /proc in a second: USER_HZ, 100 on every architecture that Node runs on. */
export const TICKS = 100;

/** Seconds of processor time that a process and its threads have used. `stat` is the text of `/proc/<pid>/stat` (proc(5)). */
export function processorSeconds(stat: string): number {
  // The name, in brackets, may hold anything: fields are counted behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}
