/** One file of the journal: a head that never tears, then records, then zeros or bytes of its earlier life. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { Corruption } from '../fault.ts';
import type { JournalIdentity } from './record.ts';

/** One sector: disks write it whole. */
export const SEGMENT_HEAD_BYTES = 512;
const MAGIC = 'SKEPJRN1';
const ZEROS = Buffer.alloc(1024 * 1024);

export interface SegmentHead extends JournalIdentity {
  /** Number of the first record that the segment holds in its present life. */
  readonly first: number;
}

function encodeHead(head: SegmentHead): Buffer {
  const bytes = Buffer.alloc(SEGMENT_HEAD_BYTES);
  bytes.write(MAGIC, 'latin1');
  bytes.writeUInt32LE(head.epoch, 8);
  bytes.writeUInt32LE(head.seed, 12);
  bytes.writeUIntLE(head.first, 16, 6);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 22)), 22);
  return bytes;
}

/** Reads a segment's head; throws Corruption, for a head is durable before the file gets its name. */
export function decodeHead(bytes: Buffer, where: string): SegmentHead {
  const whole = bytes.length >= SEGMENT_HEAD_BYTES && bytes.toString('latin1', 0, 8) === MAGIC;
  if (!whole || crc32(bytes.subarray(0, 22)) !== bytes.readUInt32LE(22)) {
    throw new Corruption(where, 'the head of the segment does not fit');
  }
  return { epoch: bytes.readUInt32LE(8), seed: bytes.readUInt32LE(12), first: bytes.readUIntLE(16, 6) };
}

/** Writes zeros over the whole file: a sync then has data to write but no extents to change, as it would after fallocate. */
export async function preallocate(path: string, bytes: number): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    for (let at = 0; at < bytes; at += ZEROS.length) await file.writeFile(ZEROS.subarray(0, bytes - at));
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A segment open for appending. */
export class Segment {
  readonly path: string;
  readonly bytes: number;
  readonly fd: number;
  /** Number of the newest record in it. */
  last = 0;
  #at = SEGMENT_HEAD_BYTES;

  constructor(path: string, bytes: number, fd: number) {
    this.path = path;
    this.bytes = bytes;
    this.fd = fd;
  }

  get room(): number {
    return this.bytes - this.#at;
  }

  /** Writes the first `length` bytes behind what is there. The caller syncs. */
  write(bytes: Buffer, length: number): void {
    for (let done = 0; done < length;) done += writeSync(this.fd, bytes, done, length - done, this.#at + done);
    this.#at += length;
  }

  close(): void {
    closeSync(this.fd);
  }
}

/** Opens the preallocated file `spare`, soon to be renamed to `path`, for a new life; its head is durable when this resolves. */
export async function beginSegment(spare: string, path: string, bytes: number, head: SegmentHead): Promise<Segment> {
  const file = await open(spare, 'r+');
  try {
    await file.writeFile(encodeHead(head));
    await file.datasync();
  } finally {
    await file.close();
  }
  // A plain descriptor: flushes call fdatasync with a callback, which costs no promise.
  return new Segment(path, bytes, openSync(spare, 'r+'));
}
