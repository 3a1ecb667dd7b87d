/** The disk of the data directory: what kind it is, what is free, how fast it makes writes durable. */
import { closeSync, fdatasyncSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { nearestPlace } from './directory.ts';
import { fault, ok, warning, type Finding } from './finding.ts';

/** statfs(2): file systems that do not keep what was written as a disk of this machine does. */
const KINDS: Readonly<Record<number, readonly [name: string, what: string]>> = {
  0x01021994: ['tmpfs', 'it is memory: a restart of the machine loses everything'],
  0x858458f6: ['ramfs', 'it is memory: a restart of the machine loses everything'],
  0x794c7630: ['overlayfs', 'it is the writable layer of a container: it goes with the container'],
  0x6969: ['NFS', 'locks and memory maps are not dependable over a network, and LMDB needs both'],
  0xff534d42: ['CIFS', 'locks and memory maps are not dependable over a network, and LMDB needs both'],
  0xfe534d42: ['SMB', 'locks and memory maps are not dependable over a network, and LMDB needs both'],
};
const GIBIBYTE = 1024 ** 3;
const PAGE_BYTES = 4096;
/** How long writes are timed, and what a disk should manage in a second: below it a commit waits for tens of milliseconds. */
const TIMED_MS = 300;
const SYNCS_A_SECOND_MIN = 100;

interface Room {
  /** f_type of statfs(2). */
  readonly kind: number;
  readonly freeBytes: number;
}

export interface DiskFacts extends Room {
  readonly syncsPerSecond: number;
}

/** Below `freeBytesMin` a node refuses writes. */
export function examineDisk(dataDir: string, freeBytesMin: number, facts = factsOf(dataDir)): Finding[] {
  return [...examineRoom(dataDir, freeBytesMin, facts), speed(facts)];
}

/** As `examineDisk`, without the speed: nothing is written. */
export function examineRoom(dataDir: string, freeBytesMin: number, facts = roomOf(dataDir)): Finding[] {
  return [kind(dataDir, facts), free(facts, freeBytesMin)];
}

function kind(dataDir: string, facts: Room): Finding {
  const known = KINDS[facts.kind];
  if (known === undefined) return ok('file system', `of a disk (type 0x${facts.kind.toString(16)})`);
  return warning(
    'file system',
    `${dataDir} is on ${known[0]}: ${known[1]}`,
    'set storage.dir to a disk or a volume of this machine',
  );
}

function free({ freeBytes }: Room, min: number): Finding {
  const detail = `${gibibytes(freeBytes)} free; writes are refused below ${gibibytes(min)}`;
  const mend = 'make room, or name a larger disk with storage.dir';
  if (freeBytes < min) return fault('disk space', detail, mend);
  return freeBytes < 2 * min ? warning('disk space', detail, mend) : ok('disk space', detail);
}

function speed({ syncsPerSecond }: DiskFacts): Finding {
  const detail = `${Math.round(syncsPerSecond)} synchronous writes a second`;
  return syncsPerSecond >= SYNCS_A_SECOND_MIN
    ? ok('disk speed', detail)
    : warning('disk speed', detail, 'every commit waits for one: use a disk with a cache that survives a power cut');
}

const gibibytes = (bytes: number): string => `${(bytes / GIBIBYTE).toFixed(1)} GiB`;

/** Measures in the deepest folder of the path that is there; the file has no name while it is written. */
function factsOf(dataDir: string): DiskFacts {
  return { ...roomOf(dataDir), syncsPerSecond: syncsIn(nearestPlace(dataDir)) };
}

function roomOf(dataDir: string): Room {
  const { type, bavail, bsize } = statfsSync(nearestPlace(dataDir));
  return { kind: type, freeBytes: bavail * bsize };
}

function syncsIn(place: string): number {
  const path = join(place, `.skep-doctor-${process.pid}`);
  const fd = openSync(path, 'wx', 0o600);
  rmSync(path);
  try {
    const page = Buffer.alloc(PAGE_BYTES);
    const began = performance.now();
    let count = 0;
    for (; performance.now() - began < TIMED_MS; count++) {
      writeSync(fd, page, 0, PAGE_BYTES, 0);
      fdatasyncSync(fd);
    }
    return (count * 1000) / (performance.now() - began);
  } finally {
    closeSync(fd);
  }
}
