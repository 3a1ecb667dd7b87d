/**
 * A disk of blocks that machines mount one after the other: an ext4 file system in a file, mounted through a loop device in a mount
 * and UTS namespace, which is a machine with a name of its own. What a program wrote and did not sync is in that machine's memory
 * alone; a copy of the file has what reached the disk, as a replica of it has.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createHash } from 'node:crypto';
import { closeSync, copyFileSync, createReadStream, openSync, truncateSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';

export interface Machine {
  /** Before a command: it runs on this machine. */
  readonly wrapper: readonly string[];
  /** The mounted files, seen from outside. */
  readonly outside: string;
  /** Takes the machine away; what only its memory had reaches its own disk at last, as on a machine that is cut off and lives on. */
  off(): Promise<void>;
}

/** Whether file systems can be mounted from files here: that needs root and a kernel with loop devices, which no package brings. */
export function canMountBlocks(): boolean {
  const isRoot = process.getuid?.() === 0;
  if (isRoot && spawnSync('losetup', ['-f']).status === 0 && spawnSync('mkfs.ext4', ['-V']).status === 0) return true;
  console.warn('skipped: no root, loop devices or mkfs.ext4');
  return false;
}

/** Makes a disk that holds a copy of a directory. */
export function makeDisk(image: string, content: string, mib: number): void {
  closeSync(openSync(image, 'w'));
  truncateSync(image, mib * 2 ** 20);
  execFileSync('mkfs.ext4', ['-q', '-F', '-E', 'lazy_itable_init=0,lazy_journal_init=0', '-d', content, image]);
}

/** Mounts a disk at a folder, on a machine of that name alone. A minute passes before the kernel writes anything of itself. */
export async function mountOn(name: string, image: string, at: string): Promise<Machine> {
  const line = 'hostname "$0" && mount -t ext4 -o loop,commit=60 "$1" "$2" && echo ready && exec sleep 86400';
  const holder = spawn('unshare', ['-m', '-u', 'sh', '-c', line, name, image, at], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const over = once(holder, 'exit').then(() => Promise.reject(new Error(`${name} could not mount ${image}`)));
  await Promise.race([once(holder.stdout, 'data'), over]);
  over.catch(() => undefined);
  return {
    wrapper: ['nsenter', '-t', String(holder.pid), '-m', '-u', '--'],
    outside: `/proc/${holder.pid}/root${at}`,
    off: async () => {
      const gone = once(holder, 'exit');
      holder.kill('SIGKILL');
      await gone;
    },
  };
}

/** Copies a disk as of one moment, although it is mounted: again, until nothing was written to it meanwhile. */
export async function replicaOf(image: string, to: string): Promise<void> {
  for (;;) {
    copyFileSync(image, to);
    if ((await hashOf(image)) === (await hashOf(to))) return;
  }
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
}
