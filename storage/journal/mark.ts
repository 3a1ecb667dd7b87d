/**
 * `durable` beside a journal's segments: the number up to which all was on the disk when the journal was last idle. A torn tail and
 * damage to the last record look alike; up to the mark it can only be damage. The mark has a sector of its own, so that writing it
 * endangers nothing else.
 */
import { existsSync, readFileSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { syncDirectoryAsync } from '../directory.ts';

const NAME = 'durable';
const BYTES = 512;
const MAGIC = 'SKEPDUR1';
/** Length of a number and what stands before it; its CRC follows. The second number was added later: older marks end with the first. */
const SUMMED_BYTES = 14;
const FOLLOWED_AT = SUMMED_BYTES + 4;

/** The marked number; 0 where there is no mark, or it was torn while it was written. */
export function readMark(directory: string): number {
  return readSummed(directory, MAGIC.length);
}

/** The number up to which LMDB had everything, in every shard; 0 where the mark does not say. */
export function readFollowed(directory: string): number {
  return readSummed(directory, FOLLOWED_AT);
}

function readSummed(directory: string, at: number): number {
  const path = join(directory, NAME);
  if (!existsSync(path)) return 0;
  const bytes = readFileSync(path);
  const end = at + 6;
  const fits = bytes.length >= end + 4 && bytes.toString('latin1', 0, MAGIC.length) === MAGIC;
  if (!fits || crc32(bytes.subarray(0, end)) !== bytes.readUInt32LE(end)) return 0;
  return bytes.readUIntLE(at, 6);
}

/** Durable when it resolves. */
export async function writeMark(directory: string, number: number, followed: number): Promise<void> {
  const bytes = Buffer.alloc(BYTES);
  bytes.write(MAGIC, 'latin1');
  bytes.writeUIntLE(number, MAGIC.length, 6);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, SUMMED_BYTES)), SUMMED_BYTES);
  bytes.writeUIntLE(followed, FOLLOWED_AT, 6);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, FOLLOWED_AT + 6)), FOLLOWED_AT + 6);
  const path = join(directory, NAME);
  const isNew = !existsSync(path);
  const file = await open(path, isNew ? 'w' : 'r+', 0o600);
  try {
    await file.writeFile(bytes);
    await file.datasync();
  } finally {
    await file.close();
  }
  if (isNew) await syncDirectoryAsync(directory);
}

/** Removes the mark. It goes before the segments: a mark must not outlive one. */
export async function dropMark(directory: string): Promise<void> {
  await rm(join(directory, NAME), { force: true });
  await syncDirectoryAsync(directory);
}
