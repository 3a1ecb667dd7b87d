/**
 * How records lie in the entries of a log elsewhere. The body of an entry is its format (1 byte), its kind (1 byte), and records as in a journal file (../journal/record.ts), with the seed 0:
 * the chain of the entries says that they are this log's. A sealed body has the number of its data key (4 bytes) and its writer's salt (16) behind the kind, then the sealed records, and a tag (16); its nonce is the entry's position. A record that is larger than an entry is cut into parts, one entry each; it counts when its last part does.
 */
import { Corruption } from '../fault.ts';
import { EngineRefused, type LogEntry } from '#storage/log-engine/port.ts';
import { nonceOf, SALT_BYTES, TAG_BYTES, type LogSeal, type SealKey } from '#storage/log-seal/seal.ts';
import { recordAt, type JournalRecord } from '#storage/journal/record.ts';

const PLAIN = 1;
const SEALED = 2;
const BODY_HEAD_BYTES = 2;
const SALT_AT = BODY_HEAD_BYTES + 4;
const SEALED_HEAD_BYTES = SALT_AT + SALT_BYTES;
/** What a sealed body has besides its records and the head of a plain one. */
const SEAL_BYTES = SEALED_HEAD_BYTES + TAG_BYTES - BODY_HEAD_BYTES;
/** Of the records of a log: their CRCs find faults, and need not tell this log from another. */
export const LOG_SEED = 0;

/** Whole records; a part with more behind it; the last part of a record. */
export type BodyKind = 'records' | 'part' | 'last part';

const KINDS: readonly BodyKind[] = ['records', 'part', 'last part'];

function bodyOf(kind: BodyKind, bytes: Uint8Array): Buffer {
  const body = Buffer.allocUnsafe(BODY_HEAD_BYTES + bytes.length);
  body[0] = PLAIN;
  body[1] = KINDS.indexOf(kind);
  body.set(bytes, BODY_HEAD_BYTES);
  return body;
}

/** Of an entry: what its sealed bytes belong to. */
type Bound = Pick<LogEntry, 'shard' | 'epoch' | 'seq' | 'first'>;

/** Bodies of one writer of a shard, sealed or not. */
export class BodyWriter {
  readonly #key: SealKey | null;

  /** Draws a salt: a writer is made once for each claim. */
  constructor(shard: number, seal: LogSeal | null) {
    this.#key = seal?.writer('entries', shard) ?? null;
  }

  /** Bytes of a body besides its records. */
  get headBytes(): number {
    return BODY_HEAD_BYTES + (this.#key === null ? 0 : SEAL_BYTES);
  }

  /** To be called once for each position: another body at the same one would have the same nonce. */
  body(kind: BodyKind, bytes: Uint8Array, entry: Bound): Buffer {
    const key = this.#key;
    if (key === null) return bodyOf(kind, bytes);
    const head = Buffer.allocUnsafe(SEALED_HEAD_BYTES);
    head[0] = SEALED;
    head[1] = KINDS.indexOf(kind);
    head.writeUInt32LE(key.no, BODY_HEAD_BYTES);
    key.salt.copy(head, SALT_AT);
    return Buffer.concat([head, ...key.close(nonceOf(entry.seq), boundOf(entry, head), bytes)]);
  }
}

function boundOf({ shard, epoch, seq, first }: Bound, head: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`${shard} ${epoch} ${seq} ${first}\0`), head]);
}

const isSealed = ({ body, first }: LogEntry): boolean => first !== 0 && body[0] === SEALED;

const bytesOf = ({ body }: LogEntry): Buffer => Buffer.from(body.buffer, body.byteOffset, body.length);

/** Takes a shard's entries in order and gives the records that they complete. */
export class BodyReader {
  readonly #seal: LogSeal | null;
  #epoch = 0;
  #parts: Uint8Array[] = [];
  /** Whether a sealed body came: behind one there is no plain one. */
  #isSealed = false;

  constructor(seal: LogSeal | null = null) {
    this.#seal = seal;
  }

  /** Is waited for before the entries are taken. Rejects with EngineRefused where they are sealed, and a key is not there. */
  async know(entries: readonly LogEntry[]): Promise<void> {
    const sealed = entries.filter((entry) => isSealed(entry) && entry.body.length >= SEALED_HEAD_BYTES);
    if (sealed.length === 0) return;
    if (this.#seal === null)
      throw new EngineRefused(
        `shard ${sealed[0]!.shard}: entry ${sealed[0]!.seq} of the log is sealed\n    set storage.journal.seal: vault, with the vault of this log`,
      );
    await this.#seal.know(new Set(sealed.map((entry) => bytesOf(entry).readUInt32LE(BODY_HEAD_BYTES))));
  }

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
    if (kind === undefined) throw damaged(entry, 'its format is not known here');
    const bytes = this.#plain(entry);
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

  #plain(entry: LogEntry): Buffer {
    const bytes = bytesOf(entry);
    if (isSealed(entry)) return this.#opened(entry, bytes);
    if (bytes[0] !== PLAIN) throw damaged(entry, 'its format is not known here');
    if (this.#isSealed) throw damaged(entry, 'it is not sealed, and entries before it are');
    return bytes.subarray(BODY_HEAD_BYTES);
  }

  #opened(entry: LogEntry, bytes: Buffer): Buffer {
    if (bytes.length < SEALED_HEAD_BYTES + TAG_BYTES) throw damaged(entry, 'it is cut short');
    this.#isSealed = true;
    const head = bytes.subarray(0, SEALED_HEAD_BYTES);
    const tagAt = bytes.length - TAG_BYTES;
    const key = this.#seal!.reader('entries', entry.shard, head.readUInt32LE(BODY_HEAD_BYTES), head.subarray(SALT_AT));
    const sealed = bytes.subarray(SEALED_HEAD_BYTES, tagAt);
    const plain = key.open(nonceOf(entry.seq), boundOf(entry, head), sealed, bytes.subarray(tagAt));
    if (plain === null) throw damaged(entry, 'it was changed, moved, or sealed by another key');
    return plain;
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
