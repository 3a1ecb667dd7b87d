/** A frozen view of one tenant's datastore: an LMDB read transaction and the overlay as it was. Bounded in time. */
import { Merge, type ReadObserver } from './overlay/merge.ts';
import { frozenLane, frozenRuns } from './overlay/generation.ts';
import { findCell } from './overlay/lane.ts';
import { Walk } from './overlay/walk.ts';
import type { Bytes, Entry, Snapshot } from './port.ts';
import type { FrozenShard, Shard } from './shard.ts';

/** All numbers that the snapshot can show are at most its `newest`. */
const NO_OBSERVER: ReadObserver = { see: () => undefined };

export class ShardSnapshot implements Snapshot {
  readonly #view: FrozenShard;
  readonly #prefix: Bytes;
  readonly #expiry: NodeJS.Timeout;
  readonly #scans = new Set<Merge>();

  /** Closes itself after `msMax`, for it keeps LMDB from reusing pages; reads and scans then throw. */
  constructor(shard: Shard, prefix: Bytes, msMax: number = shard.snapshotMsMax) {
    this.#view = shard.freeze(prefix);
    this.#prefix = prefix;
    this.#expiry = setTimeout(() => this.close(), msMax).unref();
  }

  get newest(): number {
    return this.#view.newest;
  }

  get(key: Bytes): Uint8Array | undefined {
    const { lmdb, overlay } = this.#view;
    const physical = this.#prefix + key;
    const value = lmdb.get(physical);
    for (const view of overlay) {
      const cell = findCell(frozenLane(view, physical), physical);
      if (cell !== undefined) return cell.value ?? undefined;
    }
    return value;
  }

  decoded<T extends object>(key: Bytes, decode: (value: Uint8Array) => T): T | undefined {
    const value = this.get(key);
    return value === undefined ? undefined : decode(value);
  }

  range(from: Bytes, to: Bytes, reverse = false): IterableIterator<Entry> {
    const { lmdb, overlay } = this.#view;
    const prefix = this.#prefix;
    const [first, last] = [prefix + from, prefix + to];
    const scan: Merge = new Merge({
      walks: overlay.map((view) => new Walk(frozenRuns(view, first, last), first, last, reverse)),
      base: lmdb.range(first, last, reverse),
      reverse,
      prefixBytes: prefix.length,
      observer: NO_OBSERVER,
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
