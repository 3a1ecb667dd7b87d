/** The synchronous part of a handler over one tenant's datastore: reads its own writes, joins whole or not at all. */
import { KEY_BYTES_MAX } from './environment.ts';
import { StoreRetired } from './fault.ts';
import { Cell } from './overlay/cell.ts';
import type { ReadObserver } from './overlay/merge.ts';
import { Staged } from './overlay/staged.ts';
import type { Bytes, Entry, Turn } from './port.ts';
import type { Shard } from './shard.ts';

export class ShardTurn implements Turn, ReadObserver {
  readonly #shard: Shard;
  readonly #prefix: Bytes;
  readonly #sweeps: boolean;
  #staged: Staged | null = null;
  newest = 0;
  owner: object | null = null;
  frees: boolean;

  constructor(shard: Shard, prefix: Bytes, sweeps = false) {
    this.#shard = shard;
    this.#prefix = prefix;
    this.#sweeps = sweeps;
    this.frees = sweeps;
  }

  get dirty(): boolean {
    return this.#staged !== null;
  }

  see(number: number): void {
    if (number > this.newest) this.newest = number;
  }

  get(key: Bytes): Uint8Array | undefined {
    const physical = this.#prefix + key;
    const own = this.#staged?.get(physical);
    if (own !== undefined) return own.value ?? undefined;
    return this.#shard.get(physical, this);
  }

  decoded<T extends object>(key: Bytes, decode: (value: Uint8Array) => T): T | undefined {
    const physical = this.#prefix + key;
    const own = this.#staged?.get(physical);
    if (own !== undefined) return own.value === null ? undefined : ((own.decoded ??= decode(own.value)) as T);
    return this.#shard.decoded(physical, decode, this);
  }

  range(from: Bytes, to: Bytes, reverse = false): IterableIterator<Entry> {
    const prefix = this.#prefix;
    const bounds = { from: prefix + from, to: prefix + to, reverse, prefixBytes: prefix.length };
    return this.#shard.range(bounds, this.#staged, this);
  }

  put(key: Bytes, value: Uint8Array, decoded: object | null = null): void {
    if (!(value instanceof Uint8Array)) throw new TypeError('a value is bytes');
    this.#stage(key, value, decoded);
  }

  del(key: Bytes): void {
    this.#stage(key, null, null);
  }

  #stage(key: Bytes, value: Uint8Array | null, decoded: object | null): void {
    const physical = this.#prefix + key;
    if (physical.length > KEY_BYTES_MAX) throw new RangeError(`a key of ${key.length} bytes`);
    const cell = new Cell(physical, value);
    cell.decoded = decoded;
    (this.#staged ??= new Staged()).put(cell);
  }

  *prepare(): Generator<void, void, void> {
    if (this.#staged !== null) yield* this.#staged.prepare();
  }

  commit(): void {
    if (this.#staged === null) return;
    if (!this.#sweeps && this.#shard.isRetired(this.#prefix)) throw new StoreRetired();
    this.see(this.#shard.join(this.#staged, this.frees));
    this.abort();
  }

  abort(): void {
    this.#staged = null;
  }
}
