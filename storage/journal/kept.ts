/**
 * Segments that LMDB has passed, kept until they are copied (storage/journal-copy/): `<dataDir>/journal-kept/<epoch>-<name>/`. They keep their
 * names and bytes; none is recycled. `closed` beside them says that the journal has ended, and with which record where that is known.
 */
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { whenDescriptors } from '../descriptors.ts';
import { settleDirectory, syncDirectory, syncDirectoryAsync } from '../directory.ts';

const KEPT = 'journal-kept';
const CLOSED = 'closed';
const SEGMENT = /^\d{10}\.segment$/;

/** Where kept segments of all journals lie. */
export function keptRoot(dataDir: string): string {
  return join(dataDir, KEPT);
}

/** Where the segments of the journal at `path` are kept. */
export function keptPath(path: string): string {
  return join(keptRoot(dirname(dirname(path))), basename(path));
}

/** Names of the segments in a directory, oldest first; none where there is no such directory. */
export function segmentNames(directory: string): string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .filter((name) => SEGMENT.test(name))
    .toSorted();
}

/** Begins to keep the segments of a journal that was just made; gives where. */
export function beginKeeping(path: string): string {
  return settleDirectory(keptPath(path));
}

/** Moves one segment, the oldest of its journal; the caller syncs the directory that it leaves. */
export async function keepSegment(path: string): Promise<void> {
  const to = keptPath(dirname(path));
  await rename(path, join(to, basename(path)));
  await whenDescriptors(() => syncDirectoryAsync(to));
}

/**
 * Moves what is left of a journal that has ended, oldest segment first, and says that it has ended. Its mark is gone by then. `last`: its last
 * record, null for a journal whose owner died.
 */
export function keepJournal(path: string, last: number | null): void {
  const to = settleDirectory(keptPath(path));
  for (const name of segmentNames(path)) {
    renameSync(join(path, name), join(to, name));
    syncDirectory(to);
    syncDirectory(path);
  }
  const text = last === null ? '' : `${last} ${sumOf(last)}\n`;
  writeFileSync(join(to, CLOSED), text, { mode: 0o600, flush: true });
  syncDirectory(to);
}

const ENDED = /^(\d+)(?: ([0-9a-f]{8})\n)?$/;
const sumOf = (last: number | string): string => crc32(String(last)).toString(16).padStart(8, '0');

/** How the journal whose segments are kept there ended: null while it goes on; `last` is null where its last record is not known, or damaged. */
export function endOf(kept: string): { readonly last: number | null } | null {
  const path = join(kept, CLOSED);
  if (!existsSync(path)) return null;
  const [, last, sum] = ENDED.exec(readFileSync(path, 'utf8')) ?? [];
  const isWhole = last !== undefined && (sum === undefined || sum === sumOf(last));
  return { last: isWhole ? Number(last) : null };
}

/** Removes a kept segment that was copied, or given up. */
export function dropKept(kept: string, name: string): void {
  rmSync(join(kept, name), { force: true });
  syncDirectory(kept);
}

/** Removes the directory of a journal that has ended and is copied to its end. */
export function dropKeptJournal(kept: string): void {
  rmSync(kept, { recursive: true, force: true });
  syncDirectory(dirname(kept));
}
