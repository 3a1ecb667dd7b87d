/** How far the vault's store had come, in a file beside it: not in the store, which may be put back. Two slots, each with its CRC. */
import { closeSync, existsSync, fdatasyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { makeDirectory, syncDirectory } from '#storage/directory.ts';
import type { MarkKeeper } from '#actors/vault/seal/high-water.ts';

const SLOT_BYTES = 16;

/** Opens, and makes when missing, the file. A torn slot is the older one's loss: the other still counts. */
export function openMarkFile(directory: string): MarkKeeper & { close(): void } {
  const file = join(makeDirectory(directory), 'mark');
  const isNew = !existsSync(file);
  const marks = isNew ? [0] : readSlots(readFileSync(file));
  const fd = openSync(file, isNew ? 'wx+' : 'r+', 0o600);
  if (isNew) syncDirectory(dirname(file));
  let slot = 0;
  return {
    read: () => Promise.resolve(Math.max(...marks)),
    write: (revision) => {
      slot = 1 - slot;
      writeSync(fd, slotOf(revision), 0, SLOT_BYTES, slot * SLOT_BYTES);
    },
    close: () => {
      fdatasyncSync(fd);
      closeSync(fd);
    },
  };
}

function slotOf(revision: number): Buffer {
  const bytes = Buffer.alloc(SLOT_BYTES);
  bytes.writeBigUInt64BE(BigInt(revision));
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 8)), 8);
  return bytes;
}

function readSlots(bytes: Buffer): number[] {
  const marks = [0];
  for (let at = 0; at + SLOT_BYTES <= bytes.length; at += SLOT_BYTES) {
    const value = bytes.subarray(at, at + 8);
    if (crc32(value) === bytes.readUInt32BE(at + 8)) marks.push(Number(value.readBigUInt64BE()));
  }
  return marks;
}
