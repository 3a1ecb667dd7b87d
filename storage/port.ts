/**
 * What the floors above may ask of the archive. `shard.ts` implements it over journal, overlay and LMDB;
 * `memory.ts` implements it over a plain map. Both pass test/storage/port.cases.ts.
 */

/** A byte string: every char is one byte (0–255), so that `<` orders keys as memcmp does. */
export type Bytes = string;

export interface Entry {
  readonly key: Bytes;
  /** Valid until the next call on the same store: decode at once or copy. */
  readonly value: Uint8Array;
}

/** Keys and their bytes. */
export interface Lookup {
  /** The value under `key`, or undefined. Valid until the next call on the same store. */
  get(key: Bytes): Uint8Array | undefined;
  /** Entries with `from <= key < to` in key order, or from the end when `reverse`. */
  range(from: Bytes, to: Bytes, reverse?: boolean): IterableIterator<Entry>;
}

/** One view: the turn's own staged writes, then what is journalled but not yet in LMDB, then LMDB. */
export interface Reader extends Lookup {
  /**
   * The decoded value under `key`, or undefined. The store may keep what `decode` gives and give it to other callers: it must depend on
   * the bytes alone, and no caller may change it. One key is always decoded by the same function.
   */
  decoded<T extends object>(key: Bytes, decode: (value: Uint8Array) => T): T | undefined;
}

/** The synchronous part of a handler: stages privately and joins the overlay whole or not at all. */
export interface Turn extends Reader {
  /**
   * Stages a value. The bytes are owned by the store from here on. `decoded` is what the key's decode function would make of
   * them: with it the store need not decode what was only just written.
   */
  put(key: Bytes, value: Uint8Array, decoded?: object): void;
  del(key: Bytes): void;
  /** Whether something is staged. */
  readonly dirty: boolean;
  /** Newest journal number that this turn read from the overlay or committed; 0 when everything that it read was in LMDB and so durable. */
  readonly newest: number;
  /**
   * Whose turn it is, for code that receives only the turn; the store never reads it. It is a field, because V8's scavenger takes the
   * values of a WeakMap for live: a WeakMap of turns would keep its values out of the cheap collections.
   */
  owner: object | null;
  /** Whether the turn takes more away than it adds: on a full disk it may use room that is kept from others (space.ts). */
  frees: boolean;
  /**
   * Prepares the commit of very many writes, in steps between which other turns may run; it does nothing where there are few. A commit
   * without it has the same result and takes longer at a stretch. Nothing may be staged between its steps.
   */
  prepare(): Generator<void, void, void>;
  /** Joins the overlay and the journal's next batch. Throws StorageFull (fault.ts) and stages nothing when the bound is reached. */
  commit(): void;
  /** Drops what is staged. */
  abort(): void;
}

/** A frozen view for scans that yield between slices. Close it; it holds an LMDB read transaction. */
export interface Snapshot extends Reader {
  /** Newest journal number the snapshot can see. */
  readonly newest: number;
  close(): void;
}

/** One tenant's datastore. Keys are relative to it: a handle cannot reach another tenant. */
export interface Store {
  /** How full the overlay is, 0 to 1: at 1 turns are refused. Long work slows down before that. */
  readonly pressure: number;
  begin(): Turn;
  /** `msMax`: how long it may stay open, where the default of a scan is too short. */
  snapshot(msMax?: number): Snapshot;
  /** Calls `then` (in order, at once when already true) when journal number `newest` is on the disk. */
  whenDurable(newest: number, then: () => void): void;
  /**
   * For long work: other threads bring what is on the disk into memory, where there is room, and keep it there until `signal`. Resolves
   * when all was there once; never rejects.
   */
  prewarm(signal: AbortSignal): Promise<void>;
}
