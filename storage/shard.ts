/** One environment with what is journalled but not yet in it: where turns read and join. */
import { limits } from '#config/limits.ts';
import { DecodedCache } from './decoded-cache.ts';
import type { Environment, EnvironmentSnapshot } from './environment.ts';
import { StorageFull } from './fault.ts';
import type { ShardJournal } from './journal/port.ts';
import type { EncodedAhead } from './journal/record.ts';
import type { Budget } from './overlay/budget.ts';
import { Merge, type ReadObserver } from './overlay/merge.ts';
import type { Frozen } from './overlay/generation.ts';
import type { Overlay } from './overlay/overlay.ts';
import type { Prepared } from './overlay/prepared.ts';
import type { Staged } from './overlay/staged.ts';
import type { Bytes, Entry } from './port.ts';
import { prewarm } from './prewarm.ts';

export interface ShardParts {
  readonly environment: Environment;
  /** Where the environment's pages are. */
  readonly file: string;
  readonly overlay: Overlay;
  readonly journal: ShardJournal;
  readonly budget: Budget;
  /** Whether the disk has room for what a turn of so many writes and bytes will take there; if so, that is counted as taken. */
  readonly admits: (entries: number, bytes: number, frees: boolean) => boolean;
  readonly snapshotMsMax: number;
}

/** The view that a snapshot holds. */
export interface FrozenShard {
  readonly lmdb: EnvironmentSnapshot;
  /** Youngest generation first. */
  readonly overlay: readonly Frozen[];
  readonly newest: number;
}

const { decodedEntriesMax, decodedBytesMax: DECODED_BYTES_MAX } = limits.storage;

export class Shard {
  readonly #parts: ShardParts;
  /** Number of the newest record of this shard. */
  #newest = 0;
  readonly #decoded = new DecodedCache(decodedEntriesMax);
  /** Stores of tenants that are being deleted or moved away. */
  readonly #retired = new Set<Bytes>();

  constructor(parts: ShardParts) {
    this.#parts = parts;
  }

  get journal(): ShardJournal {
    return this.#parts.journal;
  }

  get pressure(): number {
    return this.#parts.budget.pressure;
  }

  get snapshotMsMax(): number {
    return this.#parts.snapshotMsMax;
  }

  prewarm(signal: AbortSignal): Promise<void> {
    return prewarm(this.#parts.file, signal);
  }

  /** From here on only a sweep writes under this prefix. */
  retire(prefix: Bytes): void {
    this.#retired.add(prefix);
  }

  admit(prefix: Bytes): void {
    this.#retired.delete(prefix);
  }

  isRetired(prefix: Bytes): boolean {
    return this.#retired.size > 0 && this.#retired.has(prefix);
  }

  /** The newest value under a physical key. `observer` learns the number of the write, also when it is a tombstone. */
  get(key: Bytes, observer: ReadObserver): Uint8Array | undefined {
    const { overlay, environment } = this.#parts;
    const cell = overlay.empty ? undefined : overlay.get(key);
    if (cell === undefined) return environment.get(key);
    observer.see(cell.number);
    return cell.value ?? undefined;
  }

  /** As `get`, decoded once: a pending write keeps what was made of it, a value at rest is kept in the cache. */
  decoded<T extends object>(key: Bytes, decode: (value: Uint8Array) => T, observer: ReadObserver): T | undefined {
    const { overlay, environment } = this.#parts;
    const cell = overlay.empty ? undefined : overlay.get(key);
    if (cell !== undefined) {
      observer.see(cell.number);
      if (cell.value === null) return undefined;
      return (cell.decoded ??= decode(cell.value)) as T;
    }
    const known = this.#decoded.get(key);
    if (known !== undefined) return known as T;
    const value = environment.get(key);
    if (value === undefined) return undefined;
    const made = decode(value);
    if (value.length <= DECODED_BYTES_MAX) this.#decoded.set(key, made);
    return made;
  }

  range(bounds: Bounds, staged: Staged | null, observer: ReadObserver): IterableIterator<Entry> {
    const { environment, overlay } = this.#parts;
    const { from, to, reverse, prefixBytes } = bounds;
    const walks = overlay.empty ? [] : overlay.walks(from, to, reverse);
    if (staged !== null) walks.unshift(staged.walk(from, to, reverse));
    const base = environment.range(from, to, reverse);
    if (walks.length === 0) return new PlainRange(base, prefixBytes);
    return new Merge({ walks, base, reverse, prefixBytes, observer });
  }

  /** A view of one store. */
  freeze(prefix: Bytes): FrozenShard {
    const { environment, overlay } = this.#parts;
    const view = overlay.empty ? [] : overlay.freeze(prefix);
    return { lmdb: environment.snapshot(), overlay: view, newest: overlay.empty ? 0 : this.#newest };
  }

  /** Adds a turn's writes to journal and overlay, whole, and gives the record's number. Throws StorageFull and adds nothing. */
  join({ bytes, cells, prepared }: Staged, frees = false): number {
    const { admits, budget, journal, overlay } = this.#parts;
    if (!budget.admits(cells.length, bytes)) throw new StorageFull('overlay');
    if (!admits(cells.length, bytes, frees)) throw new StorageFull('disk');
    const ahead = prepared?.cells ?? 0;
    const number = journal.append(cells, prepared === null ? null : aheadOf(prepared));
    this.#newest = number;
    budget.take(cells.length, bytes);
    for (let i = 0; i < cells.length; i++) {
      const cell = cells[i]!;
      cell.number = number;
      this.#decoded.forget(cell.key);
    }
    if (prepared !== null) overlay.growing.adopt(prepared, number);
    for (let i = ahead; i < cells.length; i++) overlay.growing.add(cells[i]!);
    return number;
  }
}

const aheadOf = ({ cells, encoded }: Prepared): EncodedAhead => ({
  writes: cells,
  bytes: encoded.bytes,
  chunks: encoded.chunks(),
});

/** A range where nothing is pending: LMDB's entries with the store's prefix taken off their keys. */
class PlainRange implements IterableIterator<Entry> {
  readonly #entries: IterableIterator<Entry>;
  readonly #prefixBytes: number;

  constructor(entries: IterableIterator<Entry>, prefixBytes: number) {
    this.#entries = entries;
    this.#prefixBytes = prefixBytes;
  }

  next(): IteratorResult<Entry> {
    const step = this.#entries.next();
    if (step.done === true) return step;
    const { key, value } = step.value;
    return { done: false, value: { key: key.slice(this.#prefixBytes), value } };
  }

  return(): IteratorResult<Entry> {
    return this.#entries.return?.() ?? { done: true, value: undefined };
  }

  [Symbol.iterator](): this {
    return this;
  }
}

/** `from <= key < to` in physical keys. */
export interface Bounds {
  readonly from: Bytes;
  readonly to: Bytes;
  readonly reverse: boolean;
  readonly prefixBytes: number;
}
