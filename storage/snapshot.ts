/** A frozen view of one tenant's datastore: an LMDB read transaction and the overlay as it was. Bounded in time. */
import { Merge } from './overlay/merge.ts';
import type { Sight } from './overlay/merge.ts';
import { frozenGet } from './overlay/pending.ts';
import type { Bytes, Entry, Snapshot } from './port.ts';
import { walkOf } from './shard.ts';
import type { FrozenShard, Shard } from './shard.ts';

/** All numbers that the snapshot can show are at most its `newest`. */
const BLIND: Sight = { see: () => undefined };

export class ShardSnapshot implements Snapshot {
  readonly #view: FrozenShard;
  readonly #prefix: Bytes;
  readonly #expiry: NodeJS.Timeout;
  readonly #scans = new Set<Merge>();

  /** Closes itself after the shard's snapshotMsMax, for it keeps LMDB from reusing pages; reads and scans then throw. */
  constructor(shard: Shard, prefix: Bytes) {
    this.#view = shard.freeze();
    this.#prefix = prefix;
    this.#expiry = setTimeout(() => this.close(), shard.snapshotMsMax).unref();
  }

  get newest(): number {
    return this.#view.newest;
  }

  get(key: Bytes): Uint8Array | undefined {
    const { lmdb, overlay } = this.#view;
    const physical = this.#prefix + key;
    const value = lmdb.get(physical);
    const cell = overlay === undefined ? undefined : frozenGet(overlay, physical);
    return cell === undefined ? value : (cell.value ?? undefined);
  }

  decoded<T extends object>(key: Bytes, decode: (value: Uint8Array) => T): T | undefined {
    const value = this.get(key);
    return value === undefined ? undefined : decode(value);
  }

  range(from: Bytes, to: Bytes, reverse = false): IterableIterator<Entry> {
    const { lmdb, overlay } = this.#view;
    const prefix = this.#prefix;
    const bounds = { from: prefix + from, to: prefix + to, reverse, prefixBytes: prefix.length };
    const scan: Merge = new Merge({
      ...bounds,
      staged: undefined,
      overlay: overlay === undefined ? undefined : walkOf(overlay, bounds),
      base: lmdb.range(bounds.from, bounds.to, reverse),
      sight: BLIND,
      onEnd: () => this.#scans.delete(scan),
    });
    this.#scans.add(scan);
    return scan;
  }

  close(): void {
    clearTimeout(this.#expiry);
    for (const scan of this.#scans) scan.fail(new Error('the snapshot is closed'));
    this.#view.lmdb.close();
  }
}
