/** The journal of one shard over its log elsewhere: records that wait, the entry that is under way, and where in the log the durable ones lie. */
import type { LogPlace, LogReach } from '../applied.ts';
import { ShardStopped } from '../fault.ts';
import { LOST, type ShardJournal } from '#storage/journal/port.ts';
import { RecordBuffer, type EncodedAhead, type JournalWrite } from '#storage/journal/record.ts';
import { chained } from '#storage/log-engine/chain.ts';
import type { LogEntry } from '#storage/log-engine/port.ts';
import type { Owned } from '#storage/log-engine/take-over.ts';
import type { LogSeal } from '#storage/log-seal/seal.ts';
import { Batch } from './batch.ts';
import { BodyWriter, LOG_SEED } from './body.ts';
import { Waiters } from './waiters.ts';

export interface ShardLogParts {
  readonly shard: number;
  readonly owned: Owned;
  readonly entryBytesMax: number;
  /** Null where bodies stay as they are. */
  readonly seal?: LogSeal | null | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Throws when no record may be added. */
  readonly admit: () => void;
  /** A record waits. `bytes`: what it takes. */
  readonly wake: (bytes: number) => void;
}

interface Sent {
  readonly entry: LogEntry;
  /** All records up to this number are in it and those before it. */
  readonly last: number;
  readonly isComplete: boolean;
  /** Of its records. */
  readonly bytes: number;
}

/** An entry that completes a record. */
interface Passed extends LogPlace {
  readonly last: number;
}

export class ShardLog implements ShardJournal {
  readonly shard: number;
  readonly epoch: number;
  readonly #parts: ShardLogParts;
  readonly #buffer: RecordBuffer;
  readonly #bodies: BodyWriter;
  /** Where each record ends in the buffer. */
  #ends: number[] = [];
  #batch: Batch | null = null;
  #sent: Sent | null = null;
  readonly #waiters = new Waiters();
  #place: LogPlace;
  #time: number;
  #last = 0;
  #durable = 0;
  #isLost = false;
  /** Durable entries that LMDB has not passed, oldest first, and the newest one that it has. */
  #passed: Passed[];

  constructor(parts: ShardLogParts) {
    const { epoch, seq, chain, time } = parts.owned;
    this.#parts = parts;
    this.shard = parts.shard;
    this.epoch = epoch;
    this.#buffer = new RecordBuffer({ epoch, seed: LOG_SEED });
    this.#bodies = new BodyWriter(parts.shard, parts.seal ?? null);
    this.#place = { seq, chain };
    this.#passed = [{ seq, chain, last: 0 }];
    this.#time = time;
  }

  get last(): number {
    return this.#last;
  }

  get durable(): number {
    return this.#durable;
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /** Whether there is something that `next` would give, or that has no outcome. */
  get isWaiting(): boolean {
    return this.#sent !== null || this.#batch !== null || this.#buffer.length > 0;
  }

  append(writes: readonly JournalWrite[], encoded: EncodedAhead | null = null): number {
    if (this.#isLost) throw new ShardStopped(this.shard, LOST);
    this.#parts.admit();
    const before = this.#buffer.length;
    const number = this.#last + 1;
    this.#buffer.append(number, this.#ends.length, this.shard, writes, encoded);
    this.#last = number;
    this.#ends.push(this.#buffer.length);
    this.#time = Math.max(this.#time, this.#parts.now());
    this.#parts.wake(this.#buffer.length - before);
    return number;
  }

  /** Never calls `then` once the shard is lost: that a record is durable is no reason to answer for a shard that others write. */
  whenDurable(number: number, then: () => void): void {
    if (this.#isLost) return;
    if (number <= this.#durable) then();
    else this.#waiters.add(number, then);
  }

  reach(number: number): LogReach {
    const through = this.#passed.find(({ last }) => last >= number) ?? this.#passed.at(-1)!;
    const whole = this.#passed.findLast(({ last }) => last <= number) ?? this.#passed[0]!;
    return { whole, through };
  }

  /** LMDB is said to be at the newest entry that it has wholly: that one is kept. */
  retire(number: number): void {
    const newest = this.#passed.findLastIndex(({ last }) => last <= number);
    if (newest > 0) this.#passed = this.#passed.slice(newest);
  }

  /** The next entry, of all that waits or as much of it as an entry takes; null when nothing waits. The one before must have its outcome. */
  next(): LogEntry | null {
    if (this.#sent !== null) throw new Error(`shard ${this.shard}: the entry before has no outcome`);
    const batch = this.#batch ?? this.#gathered();
    if (batch === null) return null;
    const piece = batch.next(this.#parts.entryBytesMax - this.#bodies.headBytes);
    this.#batch = batch.length === 0 ? null : batch;
    const { seq, chain } = this.#place;
    const place = { shard: this.shard, epoch: this.epoch, seq: seq + 1, first: piece.first };
    const body = this.#bodies.body(piece.kind, piece.bytes, place);
    const entry = chained(chain, { ...place, confirmed: seq, time: this.#time, body });
    this.#sent = { entry, last: piece.last, isComplete: piece.kind !== 'part', bytes: piece.bytes.length };
    return entry;
  }

  #gathered(): Batch | null {
    const { bytes, length } = this.#buffer;
    if (length === 0) return null;
    const first = this.#last - this.#ends.length + 1;
    const batch = new Batch(Buffer.from(bytes.subarray(0, length)), this.#ends, first);
    this.#buffer.clear();
    this.#ends = [];
    return batch;
  }

  /** The entry is on all copies that the engine promises; gives the bytes of its records. The callbacks are left to `answer`. */
  acknowledged(): number {
    const { entry, last, isComplete, bytes } = this.#sent!;
    this.#sent = null;
    this.#place = { seq: entry.seq, chain: entry.chain };
    if (isComplete) this.#passed.push({ seq: entry.seq, chain: entry.chain, last });
    this.#durable = last;
    return bytes;
  }

  answer(): void {
    this.#waiters.call(this.#durable);
  }

  /** Nothing is acknowledged from here on; gives the bytes of the records that are let go. Those of the entry that was sent may be in the log. */
  lose(): number {
    const bytes = (this.#sent?.bytes ?? 0) + (this.#batch?.length ?? 0) + this.#buffer.length;
    this.#isLost = true;
    this.#waiters.drop();
    this.#sent = null;
    this.#batch = null;
    this.#ends = [];
    this.#buffer.clear();
    return bytes;
  }
}
