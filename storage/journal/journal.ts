/**
 * Append and group commit. Records wait in one buffer; a flush is one write and one fdatasync; all that arrives while a sync
 * runs goes with the next. There is no timer: the first append of an idle journal flushes at the end of the event-loop turn
 * (setImmediate and not a microtask: requests come in batches of one message per loop turn, and microtasks would run between
 * the awaits of the first of them).
 */
import { existsSync, fdatasync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { limits } from '#config/limits.ts';
import { RunningWatch } from '../after-running.ts';
import { makeDirectory, syncDirectory } from '../directory.ts';
import { isOutOfDescriptors } from '../descriptors.ts';
import { journalPath, noteCarried } from './directories.ts';
import { beginKeeping, keepJournal } from './kept.ts';
import { dropMark, writeMark } from './mark.ts';
import type { JournalStats } from './port.ts';
import { RecordBuffer, type EncodedAhead, type JournalWrite } from './record.ts';
import type { Segment } from './segment.ts';
import { Segments } from './segments.ts';

export interface JournalOptions {
  readonly dataDir: string;
  /** From nextEpoch: greater than that of every journal that fed the same shards before. */
  readonly epoch: number;
  readonly name: string;
  /** Called once, at the first failed write or sync. Nothing is acknowledged from then on; the process must end. */
  readonly onFatal: (error: Error) => void;
  /** The shards whose records it takes; any, when left out. */
  readonly shards?: readonly number[];
  readonly segmentBytes?: number;
  /** Whether the disk has room for a segment that is made ahead; always, when left out. */
  readonly hasRoomFor?: (bytes: number) => boolean;
  readonly answerMs?: number;
  /** Called after each synchronisation, with its duration. */
  readonly onSynced?: (ms: number) => void;
  /** Whether segments wait for their copy (kept.ts) instead of being recycled. */
  readonly keeps?: boolean;
}

/** Makes the journal's directory and its first segment. Throws when there is one already: an epoch is used once. */
export async function openJournal(options: JournalOptions): Promise<Journal> {
  const wanted = journalPath(options.dataDir, options.epoch, options.name);
  if (existsSync(wanted)) throw new Error(`${wanted} is there already: its epoch was used before`);
  const path = makeDirectory(wanted);
  const { segmentBytes = limits.storage.segmentBytes, hasRoomFor, keeps = false } = options;
  for (const place of keeps ? [path, beginKeeping(path)] : [path])
    if (options.shards !== undefined) noteCarried(place, options.shards);
  const identity = { epoch: options.epoch, seed: randomBytes(4).readUInt32LE() };
  const segments = new Segments(path, identity, segmentBytes, hasRoomFor, keeps);
  return new Journal(path, options, new RecordBuffer(identity), segments, await segments.first());
}

export class Journal {
  readonly path: string;
  readonly #options: JournalOptions;
  readonly #buffer: RecordBuffer;
  readonly #segments: Segments;
  readonly #watch: RunningWatch;
  #onDurable: () => void = () => undefined;
  #segment: Segment;
  /** Newest number given, newest one written, newest one durable. */
  #last = 0;
  #written = 0;
  #durable = 0;
  #scheduled = false;
  #flushing = false;
  #halted = false;
  #sealed = false;
  /** Callbacks that wait for the batch being synced, and those for the one being collected: in order without a sort. */
  #due: (() => void)[] = [];
  #next: (() => void)[] = [];
  #idle: (() => void)[] = [];
  #bytes = 0;
  #syncs = 0;
  #syncBegan = 0;
  #retiring: Promise<void> | null = null;
  /** The number up to which every environment has everything. */
  #followed = 0;
  /** The numbers in the mark, and the timer of the next one: it is written once nothing was for a while. */
  #marked = 0;
  #markedFollowed = 0;
  #marking: Promise<void> | null = null;
  readonly #idleWatch: NodeJS.Timeout;

  constructor(path: string, options: JournalOptions, buffer: RecordBuffer, segments: Segments, first: Segment) {
    this.path = path;
    this.#options = options;
    this.#buffer = buffer;
    this.#segments = segments;
    this.#segment = first;
    const answerMs = options.answerMs ?? limits.storage.commitAnswerMs;
    this.#idleWatch = setInterval(() => this.#mark(), limits.storage.journalMarkMs).unref();
    this.#watch = new RunningWatch(answerMs, () => this.#unanswered(answerMs));
  }

  /** Number of the newest record, 0 before the first. */
  get last(): number {
    return this.#last;
  }

  get durable(): number {
    return this.#durable;
  }

  /** The follower's entry: called after each sync and its callbacks. */
  onDurable(listener: () => void): void {
    this.#onDurable = listener;
  }

  /** Adds one record, whole or not at all, and gives its number; `encoded`: its first writes, made ahead. Keys and values must be checked before. */
  append(shard: number, writes: readonly JournalWrite[], encoded: EncodedAhead | null = null): number {
    if (this.#halted || this.#sealed) throw new Error('the journal takes no more');
    const number = this.#last + 1;
    this.#buffer.append(number, number - this.#written - 1, shard, writes, encoded);
    this.#last = number;
    if (!this.#flushing && !this.#scheduled) {
      this.#scheduled = true;
      setImmediate(this.#flush);
    }
    return number;
  }

  /** Calls `then` when number `n` is on the disk: at once when it is, else in the order of the batches and of the calls. */
  whenDurable(n: number, then: () => void): void {
    if (n <= this.#durable) then();
    else if (n <= this.#written) this.#due.push(then);
    else this.#next.push(then);
  }

  #flush = (): void => {
    this.#scheduled = false;
    if (this.#halted || this.#flushing || this.#buffer.length === 0) return;
    this.#flushing = true;
    if (this.#segment.room < this.#buffer.length) void this.#rotate();
    else this.#write();
  };

  #write(): void {
    const { length } = this.#buffer;
    this.#watch.begin();
    try {
      this.#segment.write(this.#buffer.bytes, length);
    } catch (error) {
      return this.#fail(error as Error);
    }
    this.#buffer.clear();
    this.#bytes += length;
    this.#segment.last = this.#written = this.#last;
    this.#due = this.#next;
    this.#next = [];
    this.#syncBegan = performance.now();
    fdatasync(this.#segment.fd, this.#synced);
    if (this.#syncs === 0) this.#prepare();
  }

  #synced = (error: Error | null): void => {
    if (error !== null) return this.#fail(error);
    if (this.#halted) return;
    const tookMs = performance.now() - this.#syncBegan;
    const due = this.#due;
    this.#due = [];
    this.#durable = this.#written;
    this.#syncs++;
    this.#flushing = false;
    // The disk gets its next work before the replies are written.
    this.#flush();
    for (let i = 0; i < due.length; i++) callSafely(due[i]!);
    this.#onDurable();
    this.#options.onSynced?.(tookMs);
    if (!this.#flushing) this.#wakeIdle();
  };

  async #rotate(): Promise<void> {
    try {
      // More may be appended while the next segment is made ready.
      while (this.#segment.room < this.#buffer.length) {
        this.#segment = await this.#segments.next(this.#segment, this.#buffer.length, this.#written + 1);
      }
    } catch (error) {
      return this.#fail(error as Error);
    }
    if (this.#halted) return;
    this.#write();
    this.#prepare();
  }

  /** Nothing waits for what is made ahead: without descriptors it is made when it is needed. */
  #prepare(): void {
    this.#segments.prepare().catch((error: unknown) => {
      if (!isOutOfDescriptors(error)) this.#fail(error as Error);
    });
  }

  /** Lets go of segments whose records every environment has passed. */
  retire(floor: number): void {
    this.#followed = floor;
    if (this.#retiring !== null || this.#halted || !this.#segments.retirable(floor)) return;
    this.#retiring = this.#segments
      .retire(floor)
      .catch((error: unknown) => this.#fail(error as Error))
      .finally(() => (this.#retiring = null));
  }

  /** Notes what is durable, and what LMDB has, while nothing is on its way. A mark that cannot be written leaves the older one, which says less. */
  #mark(): void {
    const durable = this.#durable;
    const followed = this.#followed;
    if (this.#halted || this.#flushing || this.#marking !== null || durable !== this.#last) return;
    if (durable === this.#marked && followed === this.#markedFollowed) return;
    this.#marking = writeMark(this.path, durable, followed)
      .then(() => {
        this.#marked = durable;
        this.#markedFollowed = followed;
      })
      .catch(() => undefined)
      .finally(() => (this.#marking = null));
  }

  #unanswered(answerMs: number): void {
    if (this.#flushing) this.#fail(new Error(`no answer to a sync within ${answerMs} ms`));
  }

  #fail(error: Error): void {
    if (this.#halted) return;
    this.halt();
    this.#options.onFatal(new Error(`journal ${this.path} failed`, { cause: error }));
  }

  /** Takes no more records: the last number is final from here on. */
  seal(): void {
    this.#sealed = true;
  }

  /** Acknowledges nothing from now on. */
  halt(): void {
    this.#halted = true;
    this.#watch.end();
    clearInterval(this.#idleWatch);
    this.#wakeIdle();
  }

  #wakeIdle(): void {
    const idle = this.#idle;
    this.#idle = [];
    for (const wake of idle) wake();
  }

  /** Resolves when nothing waits for a flush. */
  settled(): Promise<void> {
    if (this.#halted || this.#last === this.#durable) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  stats(): JournalStats {
    return { bytes: this.#bytes, records: this.#last, syncs: this.#syncs, segments: this.#segments.count };
  }

  /**
   * Waits for the last flush and closes; `remove` when every environment has passed all: the mark of a clean shutdown. After
   * a failure the file stays open, for a sync may still hold it, and the process is about to end.
   */
  async close(remove: boolean): Promise<void> {
    await this.settled();
    if (this.#halted) return;
    this.halt();
    await Promise.all([this.#segments.settled(), this.#retiring, this.#marking]);
    this.#segment.close();
    if (!remove) return;
    await dropMark(this.path);
    if (this.#options.keeps === true) keepJournal(this.path, this.#last);
    await rm(this.path, { recursive: true });
    syncDirectory(dirname(this.path));
  }
}

/** A callback that throws must not keep the next ones from their replies; its error surfaces as an uncaught one. */
function callSafely(then: () => void): void {
  try {
    then();
  } catch (error) {
    setImmediate(() => {
      throw error;
    });
  }
}
