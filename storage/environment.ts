/**
 * One LMDB environment: a single unnamed database whose keys are byte strings. Every option below answers a fault that was
 * seen with another setting (overlapping syncs lost data, a batch begun early hung the environment when its thread died).
 */
import { open as openFile } from 'node:fs/promises';
import { join } from 'node:path';
import { open, type Database, type RootDatabase, type RootDatabaseOptions, type Transaction } from 'lmdb';
import { limits } from '#config/limits.ts';
import { afterRunning } from './after-running.ts';
import { keepPrivate, makeDirectory, settleDirectory, syncDirectory } from './directory.ts';
import { endNative, enterNative } from './native-guard.ts';
import type { Bytes, Entry, Lookup } from './port.ts';
import { refuseUnopenable, refuseWreck } from './wreck.ts';

/** A put, or a delete when the value is null. */
export type Write = readonly [key: Bytes, value: Uint8Array | null];

/** One LMDB read transaction for as long as it is open: close it, for it keeps LMDB from reusing pages. */
export interface EnvironmentSnapshot extends Lookup {
  close(): void;
}

export interface EnvironmentStats {
  readonly entries: number;
  readonly commits: number;
  readonly fileBytes: number;
}

/**
 * Values that `get` gives lie in one buffer of the thread: valid until the next `get` of any environment.
 * Values of a range are the caller's. End a range by for-of or `return()`, for an abandoned one holds its read transaction.
 */
export interface Environment extends Lookup {
  /**
   * Commits all writes or none and resolves when they are durable and visible. One at a time: a second call while one runs
   * is a programming error and rejects. A failure, or no answer within limits.storage.commitAnswerMs, also calls onFatal.
   */
  commit(writes: readonly Write[]): Promise<void>;
  snapshot(): EnvironmentSnapshot;
  /** Copies what is committed now into `data.mdb` of an empty directory, which is durable when this resolves; commits go on meanwhile. */
  copyTo(directory: string): Promise<void>;
  stats(): EnvironmentStats;
  /** Waits for the commit and the copies in flight, and closes; open snapshots are closed first. */
  close(): Promise<void>;
}

export interface EnvironmentOptions {
  /** Called once, at the first failed or unanswered commit: the process must end. */
  readonly onFatal: (error: Error) => void;
  readonly commitAnswerMs?: number;
  /** For `storage check` and `storage dump`. */
  readonly readOnly?: boolean;
}

/** LMDB's bound with pages of 4,096 bytes; a longer key would throw in the middle of a batch and commit the first half. */
export const KEY_BYTES_MAX = 1978;

type Db = RootDatabase<Uint8Array, Bytes>;

/** Opens the environment in the directory `path`, and makes it when it is missing. Throws Corruption when its file is none of LMDB's. */
export function openEnvironment(path: string, options: EnvironmentOptions): Environment {
  if (options.readOnly !== true) settleDirectory(path);
  refuseWreck(path);
  if (options.readOnly !== true) refuseUnopenable(path);
  const db = open<Uint8Array, Bytes>(path, lmdbOptions(options.readOnly === true));
  if (options.readOnly !== true) {
    // LMDB-js makes its files readable for every user of the machine.
    for (const name of ['data.mdb', 'lock.mdb']) keepPrivate(join(path, name));
    syncDirectory(path);
  }
  guardWriting(db);
  return new LmdbEnvironment(db, options);
}

interface Writer {
  startWriting(...args: unknown[]): unknown;
}

/** LMDB-js begins to write in a task of its own, which no caller can guard. */
function guardWriting(db: Db): void {
  const writer = (db as Db & { readonly env: Writer }).env;
  const start = writer.startWriting.bind(writer);
  const guarded: Writer['startWriting'] = (...args) => {
    enterNative();
    try {
      return start(...args);
    } finally {
      endNative();
    }
  };
  Object.defineProperty(writer, 'startWriting', { value: guarded });
}

function lmdbOptions(readOnly: boolean): RootDatabaseOptions {
  return {
    noSubdir: false,
    readOnly,
    pageSize: 4096,
    maxReaders: 2048,
    encoding: 'binary',
    keyEncoder: { writeKey, readKey },
    cache: false,
    overlappingSync: false,
    noSync: false,
    noMetaSync: false,
    useWritemap: false,
    mapAsync: false,
    commitDelay: 0,
    batchStartThreshold: 1e9,
    noReadAhead: true,
  } as RootDatabaseOptions;
}

/** Methods of Buffer that its types leave out: no encoding argument to look up. */
type ByteText = Buffer & {
  latin1Write(text: string, at: number): number;
  latin1Slice(from: number, to: number): string;
};

/** Below this a loop beats the call into C++. */
const LOOP_CHARS_MAX = 16;

/** Gives the end that the key needs, not the end of what fitted: LMDB-js compares it with its buffer to see that the buffer was too short. */
function writeKey(key: Bytes, target: Buffer, start: number): number {
  const end = start + key.length;
  if (key.length > LOOP_CHARS_MAX) (target as ByteText).latin1Write(key, start);
  else for (let i = 0, at = start; at < end; i++, at++) target[at] = key.charCodeAt(i);
  return end;
}

function readKey(source: Buffer, start: number, end: number): Bytes {
  return (source as ByteText).latin1Slice(start, end);
}

/** Keys from 1 to 1,978 bytes and values that are bytes: what the batch callback may replay without throwing. */
function checkWrites(writes: readonly Write[]): void {
  for (const [key, value] of writes) {
    if (key.length === 0 || key.length > KEY_BYTES_MAX) throw new RangeError(`a key of ${key.length} bytes`);
    if (value !== null && !(value instanceof Uint8Array)) throw new TypeError('a value is bytes or null');
  }
}

function rangeOptions(from: Bytes, to: Bytes, reverse: boolean): object {
  return reverse
    ? { start: to, exclusiveStart: true, end: from, inclusiveEnd: true, reverse: true }
    : { start: from, end: to };
}

/** LMDB-js copies values up to 16 MiB into one reused buffer whose real length is larger; larger ones are views of the map. */
function valueOf(found: Buffer, size: number): Uint8Array {
  if ((found as { isGlobal?: boolean }).isGlobal !== true) return Uint8Array.prototype.slice.call(found);
  return new Uint8Array(found.buffer, found.byteOffset, size);
}

function read(db: Database, key: Bytes, options?: { transaction: Transaction }): Uint8Array | undefined {
  enterNative();
  try {
    const found = (db as { getBinaryFast(key: Bytes, options?: object): Buffer | undefined }).getBinaryFast(
      key,
      options,
    );
    return found === undefined ? undefined : valueOf(found, (db as { lastSize?: number }).lastSize!);
  } finally {
    endNative();
  }
}

function* nothing(): IterableIterator<Entry> {}

class Scan implements IterableIterator<Entry> {
  readonly #entries: Iterator<Entry>;

  constructor(range: Iterable<Entry>) {
    enterNative();
    try {
      this.#entries = range[Symbol.iterator]();
    } finally {
      endNative();
    }
  }

  next(): IteratorResult<Entry> {
    enterNative();
    try {
      return this.#entries.next();
    } finally {
      endNative();
    }
  }

  return(): IteratorResult<Entry> {
    enterNative();
    try {
      this.#entries.return?.();
    } finally {
      endNative();
    }
    return { done: true, value: undefined };
  }

  [Symbol.iterator](): this {
    return this;
  }
}

class LmdbEnvironment implements Environment {
  readonly #db: Db;
  readonly #onFatal: (error: Error) => void;
  readonly #answerMs: number;
  readonly #snapshots = new Set<LmdbSnapshot>();
  readonly #copies = new Set<Promise<void>>();
  #inFlight: Promise<void> | null = null;
  #failed: Error | null = null;
  #commits = 0;

  constructor(db: Db, options: EnvironmentOptions) {
    this.#db = db;
    this.#onFatal = options.onFatal;
    this.#answerMs = options.commitAnswerMs ?? limits.storage.commitAnswerMs;
  }

  get(key: Bytes): Uint8Array | undefined {
    return read(this.#db, key);
  }

  range(from: Bytes, to: Bytes, reverse = false): IterableIterator<Entry> {
    if (from >= to) return nothing();
    return new Scan(this.#db.getRange(rangeOptions(from, to, reverse)));
  }

  snapshot(): EnvironmentSnapshot {
    const snapshot = new LmdbSnapshot(this.#db, () => this.#snapshots.delete(snapshot));
    this.#snapshots.add(snapshot);
    return snapshot;
  }

  copyTo(directory: string): Promise<void> {
    const copy = this.#copy(directory).finally(() => this.#copies.delete(copy));
    this.#copies.add(copy);
    return copy;
  }

  async #copy(directory: string): Promise<void> {
    makeDirectory(directory);
    await this.#db.backup(directory, true);
    const path = join(directory, 'data.mdb');
    keepPrivate(path);
    const copy = await openFile(path, 'r+');
    try {
      await copy.sync();
    } finally {
      await copy.close();
    }
    syncDirectory(directory);
  }

  commit(writes: readonly Write[]): Promise<void> {
    if (this.#failed !== null) return Promise.reject(this.#failed);
    if (this.#inFlight !== null) return Promise.reject(new Error('one commit at a time for each environment'));
    try {
      checkWrites(writes);
    } catch (error) {
      return Promise.reject(error);
    }
    this.#inFlight = this.#commit(writes).finally(() => (this.#inFlight = null));
    return this.#inFlight;
  }

  async #commit(writes: readonly Write[]): Promise<void> {
    const answer = Promise.withResolvers<void>();
    const late = (): void => answer.reject(new Error(`no answer within ${this.#answerMs} ms`));
    const answered = afterRunning(this.#answerMs, late);
    this.#replay(writes).then(() => answer.resolve(), answer.reject);
    try {
      await answer.promise;
    } catch (error) {
      throw await this.#fail(error as Error);
    } finally {
      answered();
    }
    this.#commits++;
    // The read transaction of this event-loop turn may be older than the commit. Pending writes are forgotten next: no read may use it then.
    this.#db.resetReadTxn();
  }

  /** The callback of batch() must not throw, wait or decide: a throw would commit what it had queued. */
  #replay(writes: readonly Write[]): Promise<unknown> {
    const db = this.#db;
    return db.batch(() => {
      for (let i = 0; i < writes.length; i++) {
        const [key, value] = writes[i]!;
        if (value === null) void db.remove(key);
        else void db.put(key, value);
      }
    });
  }

  /** LMDB-js rejects with a general error and gives the cause in a second promise, which must be handled too. */
  async #fail(failure: Error & { commitError?: Promise<unknown> }): Promise<Error> {
    let cause: unknown = failure;
    try {
      await failure.commitError;
    } catch (reason) {
      cause = reason;
    }
    this.#failed ??= new Error('LMDB commit failed', { cause });
    this.#onFatal(this.#failed);
    return this.#failed;
  }

  stats(): EnvironmentStats {
    const lmdb = this.#db.getStats() as { entryCount: number; lastPageNumber: number; pageSize: number };
    return {
      entries: lmdb.entryCount,
      commits: this.#commits,
      fileBytes: (lmdb.lastPageNumber + 1) * lmdb.pageSize,
    };
  }

  async close(): Promise<void> {
    await this.#inFlight?.catch(() => undefined);
    await Promise.allSettled(this.#copies);
    for (const snapshot of this.#snapshots) snapshot.close();
    await this.#db.close();
  }
}

class LmdbSnapshot implements EnvironmentSnapshot {
  readonly #db: Db;
  readonly #options: { readonly transaction: Transaction };
  readonly #onClose: () => void;
  #closed = false;

  constructor(db: Db, onClose: () => void) {
    this.#db = db;
    enterNative();
    try {
      this.#options = { transaction: db.useReadTransaction() };
    } finally {
      endNative();
    }
    this.#onClose = onClose;
  }

  get(key: Bytes): Uint8Array | undefined {
    this.#assertOpen();
    return read(this.#db, key, this.#options);
  }

  range(from: Bytes, to: Bytes, reverse = false): IterableIterator<Entry> {
    this.#assertOpen();
    if (from >= to) return nothing();
    return new Scan(this.#db.getRange({ ...rangeOptions(from, to, reverse), ...this.#options }));
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    enterNative();
    try {
      this.#options.transaction.done();
    } finally {
      endNative();
    }
    this.#onClose();
  }

  #assertOpen(): void {
    if (this.#closed) throw new Error('the snapshot is closed');
  }
}
