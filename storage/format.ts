/**
 * `<dataDir>/format`: which layout the directory has, and which Skep served it last. Older code must not touch what it does not know:
 * it would read a record of a newer shape as an old one.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { syncDirectory } from './directory.ts';
import { newestOf, raisedVersions, type RecordVersions } from './record-versions.ts';

/** Raised with every change that older code would misread. Directories without the file are of before it: 1 as well. */
export const FORMAT = 1;

export interface DirectoryFormat {
  readonly format: number;
  /** The version of the Skep that served the directory last. */
  readonly skep: string;
  /** The newest version of each kind of record that may lie in the directory; absent kinds, and an absent key, are 1. */
  readonly records?: RecordVersions;
}

const formatPath = (dataDir: string): string => join(dataDir, 'format');

/** What the directory's file says; null without one: the directory is new, or older than this file. Throws where the file cannot be read. */
export function readFormat(dataDir: string): DirectoryFormat | null {
  const path = formatPath(dataDir);
  if (!existsSync(path)) return null;
  try {
    const { format, skep, records } = JSON.parse(readFileSync(path, 'utf8')) as Partial<DirectoryFormat>;
    if (Number.isInteger(format) && format! >= 1 && typeof skep === 'string')
      return { format: format!, skep, ...(records === undefined ? {} : { records }) };
  } catch {
    // The error below says it.
  }
  throw new Error(
    `${path} cannot be read: it says which Skep may open the directory\n    write {"format":${FORMAT},"skep":"unknown"} into it if no newer Skep served it, or restore a backup`,
  );
}

/** Throws when a newer Skep has changed the directory's layout. */
export function refuseNewerFormat(dataDir: string): void {
  const found = readFormat(dataDir);
  if (found === null || found.format <= FORMAT) return;
  throw new Error(
    `${dataDir} has format ${found.format}, written by skep ${found.skep}; this skep knows formats up to ${FORMAT}\n    start skep ${found.skep} or newer, or restore a backup from before it`,
  );
}

/**
 * Notes the version that serves the directory from now on, with the versions of the records that it writes (`raised`), and gives what the file
 * said before. Durable when it returns.
 */
export function markFormat(dataDir: string, skep: string, raised = raisedVersions()): DirectoryFormat | null {
  const before = readFormat(dataDir);
  const records = newestOf(before?.records ?? {}, raised);
  const now = { format: FORMAT, skep, ...(Object.keys(records).length === 0 ? {} : { records }) };
  if (isDeepStrictEqual(before, now)) return before;
  const path = formatPath(dataDir);
  writeFileSync(`${path}.new`, `${JSON.stringify(now)}\n`, { mode: 0o600, flush: true });
  renameSync(`${path}.new`, path);
  syncDirectory(dataDir);
  return before;
}
