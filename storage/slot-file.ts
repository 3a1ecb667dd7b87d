/** One number in a file that is written in place: two slots in turn, each with its CRC, so that a torn write loses only its own slot. */
import { closeSync, existsSync, fdatasync, fdatasyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { settleDirectory, syncDirectory } from './directory.ts';

const SLOT_BYTES = 16;
const sync = promisify(fdatasync);

export interface SlotFile {
  /** The highest number that was found at the opening; 0 when none was. */
  readonly found: number;
  /** A whole number from 0 on; durable after `sync`, or when the file is closed. */
  write(value: number): void;
  sync(): Promise<void>;
  close(): void;
}

/** Opens, and makes when missing, the file. */
export function openSlotFile(file: string): SlotFile {
  settleDirectory(dirname(file));
  const isNew = !existsSync(file);
  const found = isNew ? 0 : readSlots(file);
  const fd = openSync(file, isNew ? 'wx+' : 'r+', 0o600);
  // Also where it is there: a process that was killed may have made it without a sync of its name.
  syncDirectory(dirname(file));
  let slot = 0;
  return {
    found,
    write: (value) => {
      slot = 1 - slot;
      const bytes = slotOf(value);
      for (let done = 0; done < SLOT_BYTES;)
        done += writeSync(fd, bytes, done, SLOT_BYTES - done, slot * SLOT_BYTES + done);
    },
    sync: () => sync(fd),
    close: () => {
      try {
        fdatasyncSync(fd);
      } finally {
        closeSync(fd);
      }
    },
  };
}

/** The highest number in the file; 0 where it is missing or holds none. */
export function readSlots(file: string): number {
  if (!existsSync(file)) return 0;
  const bytes = readFileSync(file);
  let highest = 0;
  for (let at = 0; at + SLOT_BYTES <= bytes.length; at += SLOT_BYTES) {
    const value = bytes.subarray(at, at + 8);
    if (crc32(value) === bytes.readUInt32BE(at + 8)) highest = Math.max(highest, Number(value.readBigUInt64BE()));
  }
  return highest;
}

function slotOf(value: number): Buffer {
  const bytes = Buffer.alloc(SLOT_BYTES);
  bytes.writeBigUInt64BE(BigInt(value));
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 8)), 8);
  return bytes;
}
