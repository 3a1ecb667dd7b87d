/**
 * How a turn lies in the journal. Little endian:
 *
 *     0 length of what follows the head   12 number, 48 bits          24 mark: a cheap keyed check of the head
 *     4 CRC-32 of everything from byte 8  18 shard                    28 per write: key length (top bit: delete), key,
 *     8 epoch                             20 place in its batch          and for a put value length, value
 *
 * CRC and mark start from the journal's random seed. Tenants choose values, so without it a value could carry bytes that
 * pass for a record when a torn tail or a recycled segment leaves them where one may begin.
 */
import { crc32 } from 'node:zlib';
import type { Bytes } from '../port.ts';

export const RECORD_HEAD_BYTES = 28;
const DELETE = 0x8000;
const BUFFER_BYTES = 1024 * 1024;
const BUFFER_BYTES_KEPT = 8 * BUFFER_BYTES;

/** What is written under a physical key; null deletes it. */
export interface JournalWrite {
  readonly key: Bytes;
  readonly value: Uint8Array | null;
}

/** What proves that a record belongs to this journal. */
export interface JournalIdentity {
  readonly epoch: number;
  readonly seed: number;
}

/** The beginning of a record's writes, as they will lie in it. */
export interface EncodedAhead {
  readonly writes: number;
  readonly bytes: number;
  readonly chunks: readonly Uint8Array[];
}

export interface JournalRecord {
  readonly epoch: number;
  readonly number: number;
  readonly shard: number;
  /** Records of the same flush before this one: all numbers below `number - place` were durable when it was written. */
  readonly place: number;
  /** The encoded writes. */
  readonly payload: Buffer;
}

/** Node's own fast ways between bytes and latin1 text. */
export type ByteText = Buffer & {
  latin1Write(text: string, at: number): number;
  latin1Slice(from: number, to: number): string;
};

/** How many bytes a write takes in a record. */
export function encodedBytes({ key, value }: JournalWrite): number {
  return value === null ? key.length + 2 : key.length + 6 + value.length;
}

/** Encodes a write at `start`, where there is room; the place behind it. */
export function encodeWrite(bytes: ByteText, start: number, { key, value }: JournalWrite): number {
  bytes.writeUInt16LE(value === null ? key.length | DELETE : key.length, start);
  let at = start + 2;
  bytes.latin1Write(key, at);
  at += key.length;
  if (value === null) return at;
  bytes.writeUInt32LE(value.length, at);
  bytes.set(value, at + 4);
  return at + 4 + value.length;
}

/** The growing buffer in which appended records wait for the next flush. */
export class RecordBuffer {
  readonly #identity: JournalIdentity;
  #bytes = Buffer.allocUnsafeSlow(BUFFER_BYTES) as ByteText;
  length = 0;

  constructor(identity: JournalIdentity) {
    this.#identity = identity;
  }

  /** The bytes to flush: valid until the next append. */
  get bytes(): Buffer {
    return this.#bytes;
  }

  /** `encoded`: the first `encoded.writes` of the writes, made ahead. */
  append(
    number: number,
    place: number,
    shard: number,
    writes: readonly JournalWrite[],
    encoded: EncodedAhead | null = null,
  ): void {
    const start = this.length;
    let at = this.#reserve(start, RECORD_HEAD_BYTES);
    if (encoded !== null) at = this.#copy(at, encoded);
    for (let i = encoded?.writes ?? 0; i < writes.length; i++) {
      this.#reserve(at, encodedBytes(writes[i]!));
      at = encodeWrite(this.#bytes, at, writes[i]!);
    }
    this.#head(start, at, number, place, shard);
    this.length = at;
  }

  #copy(start: number, { bytes, chunks }: EncodedAhead): number {
    const end = this.#reserve(start, bytes);
    let at = start;
    for (const chunk of chunks) {
      this.#bytes.set(chunk, at);
      at += chunk.length;
    }
    return end;
  }

  #head(start: number, end: number, number: number, place: number, shard: number): void {
    const bytes = this.#bytes;
    const { epoch, seed } = this.#identity;
    const length = end - start - RECORD_HEAD_BYTES;
    const low = number >>> 0;
    bytes.writeUInt32LE(length, start);
    bytes.writeUInt32LE(epoch, start + 8);
    bytes.writeUInt32LE(low, start + 12);
    bytes.writeUInt16LE(Math.floor(number / 0x100000000), start + 16);
    bytes.writeUInt16LE(shard, start + 18);
    bytes.writeUInt32LE(place, start + 20);
    bytes.writeUInt32LE(markOf(seed, low, length), start + 24);
    bytes.writeUInt32LE(crc32(bytes.subarray(start + 8, end), seed), start + 4);
  }

  /** Makes room for `size` bytes at `at`; gives the place behind them. */
  #reserve(at: number, size: number): number {
    const end = at + size;
    if (end > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(end, 2 * this.#bytes.length)) as ByteText;
      this.#bytes.copy(larger, 0, 0, at);
      this.#bytes = larger;
    }
    return end;
  }

  /** Forgets what was flushed, and the memory that one great flush needed. */
  clear(): void {
    this.length = 0;
    if (this.#bytes.length > BUFFER_BYTES_KEPT) this.#bytes = Buffer.allocUnsafeSlow(BUFFER_BYTES) as ByteText;
  }
}

function markOf(seed: number, low: number, length: number): number {
  return (Math.imul(low ^ seed, 0x9e3779b1) ^ Math.imul(length, 0x85ebca6b)) >>> 0;
}

/** The record that begins at `at`, or null when none of this journal does. Cheap for bytes that only look like one. */
export function recordAt(bytes: Buffer, at: number, identity: JournalIdentity): JournalRecord | null {
  const body = at + RECORD_HEAD_BYTES;
  if (body > bytes.length || bytes.readUInt32LE(at + 8) !== identity.epoch) return null;
  const length = bytes.readUInt32LE(at);
  const low = bytes.readUInt32LE(at + 12);
  if (bytes.readUInt32LE(at + 24) !== markOf(identity.seed, low, length) || body + length > bytes.length) return null;
  if (crc32(bytes.subarray(at + 8, body + length), identity.seed) !== bytes.readUInt32LE(at + 4)) return null;
  return {
    epoch: identity.epoch,
    number: bytes.readUInt16LE(at + 16) * 0x100000000 + low,
    shard: bytes.readUInt16LE(at + 18),
    place: bytes.readUInt32LE(at + 20),
    payload: bytes.subarray(body, body + length),
  };
}

/** The writes of a record, in order. Values are views of the record's bytes. */
export function* recordWrites(record: JournalRecord): Generator<JournalWrite> {
  const bytes = record.payload as ByteText;
  for (let at = 0; at < bytes.length;) {
    const head = bytes.readUInt16LE(at);
    const keyEnd = at + 2 + (head & ~DELETE);
    const key = bytes.latin1Slice(at + 2, keyEnd);
    at = keyEnd;
    if ((head & DELETE) !== 0) yield { key, value: null };
    else {
      at += 4 + bytes.readUInt32LE(keyEnd);
      yield { key, value: bytes.subarray(keyEnd + 4, at) };
    }
  }
}
