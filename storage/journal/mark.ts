/**
 * `durable` beside a journal's segments: the number up to which all was on the disk when the journal was last idle. A torn tail and
 * damage to the last record look alike; behind the mark there is no tear. One sector of its own, so that writing it risks nothing else.
 */
import { existsSync, readFileSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { syncDirectoryAsync } from '../directory.ts';

const NAME = 'durable';
const BYTES = 512;
const MAGIC = 'SKEPDUR1';
/** Of the number and what is before it. */
const SUMMED_BYTES = 14;

/** The marked number; 0 where there is no mark, or it was torn while it was written. */
export function readMark(directory: string): number {
  const path = join(directory, NAME);
  if (!existsSync(path)) return 0;
  const bytes = readFileSync(path);
  const fits = bytes.length >= SUMMED_BYTES + 4 && bytes.toString('latin1', 0, MAGIC.length) === MAGIC;
  if (!fits || crc32(bytes.subarray(0, SUMMED_BYTES)) !== bytes.readUInt32LE(SUMMED_BYTES)) return 0;
  return bytes.readUIntLE(MAGIC.length, 6);
}

/** Durable when it resolves. */
export async function writeMark(directory: string, number: number): Promise<void> {
  const bytes = Buffer.alloc(BYTES);
  bytes.write(MAGIC, 'latin1');
  bytes.writeUIntLE(number, MAGIC.length, 6);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, SUMMED_BYTES)), SUMMED_BYTES);
  const path = join(directory, NAME);
  const isNew = !existsSync(path);
  const file = await open(path, isNew ? 'w' : 'r+', 0o600);
  try {
    await file.write(bytes, 0, BYTES, 0);
    await file.datasync();
  } finally {
    await file.close();
  }
  if (isNew) await syncDirectoryAsync(directory);
}

/** First of all that goes of a journal: a mark must not outlive a segment. */
export async function dropMark(directory: string): Promise<void> {
  await rm(join(directory, NAME), { force: true });
  await syncDirectoryAsync(directory);
}
