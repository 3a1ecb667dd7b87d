/**
 * How records lie in the entries of a log elsewhere. The body of an entry is its format (1 byte), its kind (1 byte), and records as in a journal file (../journal/record.ts), with the seed 0:
 * the chain of the entries says that they are this log's. A record that is larger than an entry is cut into parts, one entry each; it counts when its last part does.
 */
import { Corruption } from '../fault.ts';
import { recordAt } from '#storage/journal/record.ts';
import type { JournalRecord } from '#storage/journal/record.ts';
import type { LogEntry } from '#storage/log-engine/port.ts';

const FORMAT = 1;
export const BODY_HEAD_BYTES = 2;
/** Of the records of a log: their CRCs find faults, and need not tell this log from another. */
export const LOG_SEED = 0;

/** Whole records; a part with more behind it; the last part of a record. */
export type BodyKind = 'records' | 'part' | 'last part';

const KINDS: readonly BodyKind[] = ['records', 'part', 'last part'];

export function bodyOf(kind: BodyKind, bytes: Uint8Array): Buffer {
  const body = Buffer.allocUnsafe(BODY_HEAD_BYTES + bytes.length);
  body[0] = FORMAT;
  body[1] = KINDS.indexOf(kind);
  body.set(bytes, BODY_HEAD_BYTES);
  return body;
}

/** Takes a shard's entries in order and gives the records that they complete. */
export class BodyReader {
  #epoch = 0;
  #parts: Uint8Array[] = [];

  /** Whether a record has begun that is not complete. */
  get isBetween(): boolean {
    return this.#parts.length > 0;
  }

  /** Throws Corruption where the body is not what a writer of this format makes. An owner that lost the shard may have left parts without an end: nothing of them was acknowledged. */
  take(entry: LogEntry): JournalRecord[] {
    if (entry.epoch !== this.#epoch) this.#parts = [];
    this.#epoch = entry.epoch;
    if (entry.first === 0) return [];
    const kind = KINDS[entry.body[1]!];
    if (entry.body[0] !== FORMAT || kind === undefined) throw damaged(entry, 'its format is not known here');
    const bytes = Buffer.from(entry.body.buffer, entry.body.byteOffset, entry.body.length).subarray(BODY_HEAD_BYTES);
    if (kind === 'records') {
      if (this.isBetween) throw damaged(entry, 'the record before has no end');
      return recordsOf(entry, bytes);
    }
    this.#parts.push(bytes);
    if (kind === 'part') return [];
    const whole = Buffer.concat(this.#parts);
    this.#parts = [];
    return recordsOf(entry, whole);
  }
}

function recordsOf(entry: LogEntry, bytes: Buffer): JournalRecord[] {
  const { epoch, first, shard } = entry;
  const records: JournalRecord[] = [];
  for (let at = 0; at < bytes.length;) {
    const record = recordAt(bytes, at, { epoch, seed: LOG_SEED });
    if (record === null || record.shard !== shard || record.number !== first + records.length)
      throw damaged(entry, `record ${first + records.length} does not fit`);
    records.push(record);
    at = record.payload.byteOffset - bytes.byteOffset + record.payload.length;
  }
  return records;
}

function damaged({ shard, seq }: LogEntry, what: string): Corruption {
  return new Corruption(`shard ${shard}, entry ${seq} of the log`, what);
}
