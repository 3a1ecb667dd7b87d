/** The stores of nodes as they lie on the disk, and the place where copies of shards lie: a copy is a file of a moment, as LMDB makes one. */
import { NOWHERE, readReach } from '#storage/applied.ts';
import { shardPath } from '#storage/archive.ts';
import { EngineRefused, type LogEngine, type SnapshotNote } from '#storage/log-engine/port.ts';
import { untilKnown } from '#storage/log-engine/until-known.ts';
import { keepCopy, restOn } from '#storage/shard-copy/keep-copies.ts';
import { copyName, readCopyName, type CopyPlace } from '#storage/shard-copy/place.ts';
import type { Cells } from '#test/simulation/machine/cells.ts';
import { machine } from '#test/simulation/machine/machine.ts';
import { pause } from './host.ts';

/** What a node's store of a shard holds; null where there is none. */
export const cellsOf = (dataDir: string, shard: number): Cells | null =>
  machine().disk.environments.get(shardPath(dataDir, shard)) ?? null;

export class Copies implements CopyPlace {
  readonly where = 'the place of copies';
  readonly #copies = new Map<string, Cells>();
  made = 0;
  used = 0;

  put(): never {
    throw new Error('copies are made by `make` here');
  }

  read(): never {
    throw new Error('copies are read by `bringBack` here');
  }

  list(shard: number): Promise<string[]> {
    return Promise.resolve([...this.#copies.keys()].filter((name) => readCopyName(name)!.shard === shard).toSorted());
  }

  /** The log of these nodes keeps no history. */
  pieces(): Promise<string[]> {
    return Promise.resolve([]);
  }

  remove(name: string): Promise<void> {
    this.#copies.delete(name);
    return Promise.resolve();
  }

  /** A copy of what the store has now, in the place; null where the log knows one that is as new. */
  make(dataDir: string, shard: number, newest: SnapshotNote | undefined): SnapshotNote | null {
    const cells = cellsOf(dataDir, shard)?.copy();
    const { seq, chain } = (cells === undefined ? null : readReach(cells))?.whole ?? NOWHERE.whole;
    if (cells === undefined || seq <= (newest?.seq ?? 0)) return null;
    this.made++;
    const sha256 = this.made.toString(16).padStart(64, '0');
    const name = copyName({ shard, seq, chain, madeMs: this.made, sha256 });
    this.#copies.set(name, cells);
    return { seq, chain, name };
  }

  /** Notes a copy, lets go what it makes needless, and gives its room back. */
  async keep(engine: LogEngine, shard: number, note: SnapshotNote): Promise<void> {
    await keepCopy({ engine, place: this, pause }, shard, note);
    await untilKnown(() => engine.reclaim(), pause);
  }

  /** As main does where a shard had nothing new. */
  async rest(engine: LogEngine, shard: number): Promise<void> {
    await restOn({ engine, place: this, pause }, shard, await untilKnown(() => engine.look(shard), pause));
    await untilKnown(() => engine.reclaim(), pause);
  }

  /** As storage/shard-copy/bring-back.ts does with files: a store that misses entries which are gone is replaced by the newest copy that the log knows. */
  async bringBack(engine: LogEngine, dataDir: string, shard: number): Promise<void> {
    const { snapshots, trimmed } = await untilKnown(() => engine.look(shard), pause);
    const cells = cellsOf(dataDir, shard);
    const here = cells === null ? null : (readReach(cells)?.whole.seq ?? null);
    if (here !== null && here >= trimmed) return;
    const note = snapshots.find(({ name, seq }) => seq >= trimmed && this.#copies.has(name));
    if (note !== undefined) {
      this.used++;
      machine().disk.environments.set(shardPath(dataDir, shard), this.#copies.get(note.name)!.copy());
    } else if ((here ?? 0) < trimmed)
      throw new NoCopy(`shard ${shard}: entries up to ${trimmed} are gone, and no copy has them`);
  }
}

/** What a read says may be old: a start that is refused so is tried again. */
export class NoCopy extends EngineRefused {}
