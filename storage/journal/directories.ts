/** Where journals lie: `<dataDir>/journal/<epoch>-<name>/`, and the epoch counter, which separates one owner's numbers from the next one's. */
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { makeDirectory, syncDirectory } from '../directory.ts';
import { Corruption } from '../fault.ts';
import { keepJournal } from './kept.ts';

const EPOCH = /^\d{1,10}$/;
const NAME = /^(\d{10})-[a-z0-9-]+$/;

export function journalPath(dataDir: string, epoch: number, name: string): string {
  const directory = `${String(epoch).padStart(10, '0')}-${name}`;
  if (!NAME.test(directory)) throw new Error(`not a name for a journal: ${name}`);
  return join(dataDir, 'journal', directory);
}

/** The epoch in a journal's directory name. */
export function epochOf(path: string): number {
  return Number(NAME.exec(path.slice(path.lastIndexOf('/') + 1))?.[1] ?? Number.NaN);
}

/** Directories of the journals that an earlier start left behind, oldest epoch first: to be replayed by every archive. */
export function findJournals(dataDir: string): string[] {
  const root = join(dataDir, 'journal');
  if (!existsSync(root)) return [];
  const names = readdirSync(root).filter((name) => NAME.test(name));
  return names.sort().map((name) => join(root, name));
}

const CARRIED = 'shards';

/** Notes, durably, of which shards a journal has records. An earlier release, which knows no check sum, takes the text for "any". */
export function noteCarried(path: string, shards: readonly number[]): void {
  writeFileSync(join(path, CARRIED), summed(`${shards.join(' ')}\n`), { mode: 0o600, flush: true });
  syncDirectory(path);
}

const SUMMED = /^(\d+(?: \d+)*\n)(?:([0-9a-f]{8})\n)?$/;
const sumOf = (line: string): string => crc32(line).toString(16).padStart(8, '0');
const summed = (line: string): string => `${line}${sumOf(line)}\n`;

/** The shards of which a journal may have records; null for any: where it was written before this was noted, or the note is damaged. */
export function carriedBy(path: string): ReadonlySet<number> | null {
  const file = join(path, CARRIED);
  if (!existsSync(file)) return null;
  const [, line, sum] = SUMMED.exec(readFileSync(file, 'utf8')) ?? [];
  if (line === undefined || (sum !== undefined && sum !== sumOf(line))) return null;
  return new Set(line.trim().split(' ').map(Number));
}

/**
 * Removes journals that every shard has passed: call it when all archives that replay them are open. `keeps`: their segments wait for their
 * copy.
 */
export function retireJournals(paths: readonly string[], keeps = false): void {
  for (const path of paths) {
    // The mark first: it must not outlive a segment.
    rmSync(join(path, 'durable'), { force: true });
    if (existsSync(path)) syncDirectory(path);
    if (keeps && existsSync(path)) keepJournal(path, null);
    rmSync(path, { recursive: true, force: true });
    syncDirectory(join(path, '..'));
  }
}

const epochPath = (dataDir: string): string => join(dataDir, 'epoch');

/** The last epoch that was given; 0 in a new directory. */
export function lastEpoch(dataDir: string): number {
  const path = epochPath(dataDir);
  const last = existsSync(path) ? epochIn(path) : 0;
  return Math.max(last, ...findJournals(dataDir).map(epochOf));
}

function epochIn(path: string): number {
  const text = readFileSync(path, 'utf8');
  if (EPOCH.test(text)) return Number(text);
  const mend = 'write into it the highest epoch that `skep storage check` shows';
  throw new Corruption(path, `it holds no epoch: it was changed by hand, or its disk is damaged\n    ${mend}`);
}

/**
 * The next epoch, durable before it is given. Every owner's numbers begin at 1, so a shard compares epochs to know which of two
 * owners wrote last. Every opening of an archive takes its own; one thread (the supervisor) gives them all.
 */
export function nextEpoch(dataDir: string): number {
  makeDirectory(dataDir);
  const path = epochPath(dataDir);
  const epoch = lastEpoch(dataDir) + 1;
  // Not writeSync, which writes a part where the disk is full, and says only how much: a part of this text is a lower number, with which no shard opens (archive.ts).
  writeFileSync(`${path}.new`, String(epoch), { mode: 0o600, flush: true });
  renameSync(`${path}.new`, path);
  syncDirectory(dataDir);
  return epoch;
}
