/**
 * The journal of one log: entries join the open segment in order, and one fdatasync covers everything that was written while the
 * one before it ran. A segment ends between two writes, when everything in it is durable.
 *
 *   queue ─▶ write ─▶ fdatasync ─▶ tree
 *              └ batched         └ strict
 *
 * Where a place that outlives this machine keeps the entries, it has them before they are written here.
 */
import { createHash } from 'node:crypto';
import { limits } from '#config/limits.ts';
import { isFull } from '#storage/log/disk.ts';
import type { LogFiles, SegmentFile } from './files.ts';
import type { Growth } from './growth.ts';
import { lineBytes, writeLines } from './line.ts';
import { segmentPath } from './manifest.ts';
import type { OpenSegment } from './recover.ts';
import { LogLeft } from './refused.ts';

/** `strict`: after the fdatasync of its batch. `batched`: after the write. `async`: at once. */
export type Durability = 'strict' | 'batched' | 'async';

/** What became of entries. `full`: no room, nothing of them stays. `failed`: it is unknown what is on the disk. */
export type Fate = 'kept' | 'full' | 'failed';

export interface SegmentBounds {
  readonly recordsMax: number;
  readonly bytesMax: number;
}

export interface AppenderOptions {
  readonly files: LogFiles;
  readonly growth: Growth;
  readonly bounds: SegmentBounds;
  /** Runs something after so many milliseconds; gives the function that calls it off. */
  readonly after: (ms: number, run: () => void) => () => void;
  /** Entries became durable and are in the tree. */
  readonly onGrown: () => void;
  /** A segment has its last entry, all of it durable and in the tree. */
  readonly onEnded: (segment: OpenSegment) => void;
  /** A write or a sync has failed, or the entries could not be secured: nothing more is taken. */
  readonly onFatal: (error: Error) => void;
  /** Has entries kept elsewhere, of which the first has this index, before they are written. Rejects with LogLeft. */
  readonly secure?: ((first: number, entries: readonly Uint8Array[]) => Promise<void>) | undefined;
}

interface Waiting {
  readonly entries: readonly Uint8Array[];
  readonly durability: Durability;
  readonly settle: (fate: Fate) => void;
  readonly grown: () => void;
}

export class Appender {
  readonly #options: AppenderOptions;
  #queue: Waiting[] = [];
  #queuedRecords = 0;
  #queuedBytes = 0;
  #next: number;
  #segment: OpenSegment | null;
  #file: SegmentFile | null = null;
  /** Written and not yet synced. */
  #written: Waiting[] = [];
  #writing: Promise<void> | null = null;
  #syncing: Promise<void> | null = null;
  #syncLater: (() => void) | null = null;
  #endWanted = false;
  #failed = false;
  #closed = false;
  /** Entries that were acknowledged (`async`) and could not be written. */
  lost = 0;

  /** Continues `segment`, or begins one after what has grown. */
  constructor(options: AppenderOptions, segment: OpenSegment | null) {
    this.#options = options;
    this.#segment = segment;
    this.#next = options.growth.size;
  }

  /** The index that the next entry gets. */
  get next(): number {
    return this.#next;
  }

  /** Whether a queue is at its bound; then nothing may be pushed. */
  get isFull(): boolean {
    const { queueBytesMax, queueRecordsMax, unpublishedBytesMax } = limits.audit;
    const { waitingBytes } = this.#options.growth;
    return (
      this.#failed ||
      this.#queuedRecords >= queueRecordsMax ||
      this.#queuedBytes >= queueBytesMax ||
      waitingBytes >= unpublishedBytesMax
    );
  }

  /** Queues entries, which get the indexes from `next` on; resolves as their durability says. `grown` runs as they join the tree. */
  push(entries: readonly Uint8Array[], durability: Durability, grown: () => void): Promise<Fate> {
    if (this.#failed || this.#closed) return Promise.resolve('failed');
    this.#next += entries.length;
    this.#queuedRecords += entries.length;
    this.#queuedBytes += bytesOf(entries);
    return new Promise((settle) => {
      if (durability === 'async') settle('kept');
      this.#queue.push({ entries, durability, settle, grown });
      this.#write();
    });
  }

  /** Ends the open segment once everything queued is in it; an empty one stays open. */
  endSegment(): Promise<void> {
    this.#endWanted = true;
    this.#write();
    return this.#writing ?? Promise.resolve();
  }

  /** Resolves when everything queued is durable and in the tree. */
  async settle(): Promise<void> {
    while (!this.#failed && (this.#writing !== null || this.#syncing !== null || this.#written.length > 0)) {
      await this.#writing;
      await this.#sync();
    }
  }

  async close(): Promise<void> {
    await this.settle();
    this.#closed = true; // the log is not ours from here on
    await this.#file?.close();
    this.#file = null;
  }

  #write(): void {
    this.#writing ??= this.#writeAll();
  }

  /** The loop ends in the same step in which it sees the queue empty: a later push starts a new loop. */
  async #writeAll(): Promise<void> {
    await Promise.resolve(); // other pushes of this step join the write
    try {
      while (!this.#failed && (this.#queue.length > 0 || this.#endWanted)) {
        if (this.#overflows()) await this.#end(); // the records of one call stay together
        if (this.#queue.length > 0) await this.#writeSome(this.#take());
        if (this.#isDue()) {
          this.#endWanted = false;
          await this.#end();
        }
      }
    } catch (error) {
      this.#fail(error as Error);
    }
    this.#writing = null;
  }

  #take(): Waiting[] {
    let bytes = 0;
    let records = 0;
    let count = 0;
    const room = this.#room();
    for (const { entries } of this.#queue) {
      bytes += lineBytesOf(entries);
      records += entries.length;
      const isOver = bytes > limits.audit.writeBytesMax || records > room.records || bytes > room.bytes;
      if (count > 0 && isOver) break;
      count++;
    }
    const batch = this.#queue.splice(0, count);
    for (const { entries } of batch) {
      this.#queuedRecords -= entries.length;
      this.#queuedBytes -= bytesOf(entries);
    }
    return batch;
  }

  async #writeSome(batch: Waiting[]): Promise<void> {
    const { secure } = this.#options;
    let isSecured = false;
    try {
      const segment = await this.#opened();
      const entries = batch.flatMap((one) => one.entries);
      if (secure !== undefined) {
        await secure(segment.size, entries);
        isSecured = true;
      }
      await this.#append(segment, writeLines(entries));
      segment.size += entries.length;
    } catch (error) {
      if (isFull(error) && isSecured) this.#lose(batch, new LogLeft((error as Error).message, { cause: error }));
      else if (isFull(error)) this.#shed(batch);
      else this.#lose(batch, error as Error);
      return;
    }
    for (const { durability, settle } of batch) if (durability === 'batched') settle('kept');
    this.#written.push(...batch);
    this.#syncSoon(batch);
  }

  async #opened(): Promise<OpenSegment> {
    const { growth, files } = this.#options;
    this.#segment ??= await this.#begin(growth);
    this.#file ??= await files.open(segmentPath(this.#segment.first));
    return this.#segment;
  }

  /** Begins where the records end: everything before is durable, since a segment ends so. */
  async #begin(growth: Growth): Promise<OpenSegment> {
    const first = growth.size;
    return { first, size: first, bytes: 0, sha256: createHash('sha256'), root: growth.root() };
  }

  async #append(segment: OpenSegment, lines: Buffer): Promise<void> {
    try {
      await this.#file!.write(lines, segment.bytes);
    } catch (error) {
      if (isFull(error)) await this.#file!.truncate(segment.bytes);
      throw error;
    }
    segment.bytes += lines.length;
    segment.sha256.update(lines);
  }

  /** No room: this batch and all that stands behind it get no index. */
  #shed(batch: readonly Waiting[]): void {
    const all = [...batch, ...this.#queue];
    this.#queue = [];
    this.#queuedRecords = 0;
    this.#queuedBytes = 0;
    for (const { entries, durability, settle } of all) {
      this.#next -= entries.length;
      if (durability === 'async') this.lost += entries.length;
      settle('full');
    }
  }

  #syncSoon(batch: readonly Waiting[]): void {
    if (batch.some(({ durability }) => durability === 'strict')) void this.#sync();
    else this.#syncLater ??= this.#options.after(limits.audit.batchedSyncMs, () => void this.#sync());
  }

  /** One fdatasync at a time; what is written while it runs gets the next one. */
  #sync(): Promise<void> {
    this.#syncLater?.();
    this.#syncLater = null;
    if (this.#written.length > 0) this.#syncing ??= this.#syncAll();
    return this.#syncing ?? Promise.resolve();
  }

  async #syncAll(): Promise<void> {
    while (this.#written.length > 0 && !this.#failed) {
      const batch = this.#written;
      this.#written = [];
      try {
        await this.#file!.sync();
      } catch (error) {
        this.#lose(batch, error as Error);
        break;
      }
      for (const { entries, settle, grown } of batch) {
        for (const entry of entries) this.#options.growth.add(entry);
        grown();
        settle('kept');
      }
      this.#options.onGrown();
    }
    this.#syncing = null;
  }

  /** What the open segment, or a new one, still takes. */
  #room(): { readonly records: number; readonly bytes: number } {
    const { recordsMax, bytesMax } = this.#options.bounds;
    const segment = this.#segment;
    if (segment === null) return { records: recordsMax, bytes: bytesMax };
    return { records: recordsMax - (segment.size - segment.first), bytes: bytesMax - segment.bytes };
  }

  /** Whether what comes next would carry a segment that has records already over its bounds. */
  #overflows(): boolean {
    const next = this.#queue[0];
    if (next === undefined || this.#segment === null || this.#segment.size === this.#segment.first) return false;
    const room = this.#room();
    return next.entries.length > room.records || lineBytesOf(next.entries) > room.bytes;
  }

  #isDue(): boolean {
    const { bounds } = this.#options;
    const segment = this.#segment;
    if (this.#queue.length === 0 && this.#endWanted) return true;
    return segment !== null && (segment.size - segment.first >= bounds.recordsMax || segment.bytes >= bounds.bytesMax);
  }

  async #end(): Promise<void> {
    const segment = this.#segment;
    if (segment === null || segment.size === segment.first) return;
    await this.#sync();
    if (this.#failed) return;
    await this.#file?.close();
    this.#file = null;
    this.#segment = null;
    segment.root = this.#options.growth.root();
    this.#options.onEnded(segment);
  }

  /** It is unknown what of these entries is on the disk. */
  #lose(batch: readonly Waiting[], error: Error): void {
    for (const { settle } of batch) settle('failed');
    this.#fail(error);
  }

  #fail(error: Error): void {
    if (this.#failed) return;
    this.#failed = true;
    for (const { settle } of [...this.#written, ...this.#queue]) settle('failed');
    this.#options.onFatal(error);
  }
}

/** Bytes of their lines. */
function lineBytesOf(entries: readonly Uint8Array[]): number {
  let bytes = 0;
  for (const entry of entries) bytes += lineBytes(entry);
  return bytes;
}

function bytesOf(entries: readonly Uint8Array[]): number {
  let bytes = 0;
  for (const entry of entries) bytes += entry.length;
  return bytes;
}
