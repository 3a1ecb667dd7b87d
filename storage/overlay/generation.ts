/** Pending writes of a shard that leave together: points by a hash table, order by a lane for each table of each store. */
import { after } from '../key.ts';
import type { Bytes } from '../port.ts';
import { cellBytes, type Cell } from './cell.ts';
import { LANE_KEY_BYTES, laneOf } from './lane-of.ts';
import { Lane } from './lane.ts';
import type { Run } from './run.ts';
import { hashOf, KeyMap } from './key-map.ts';
import type { Prepared } from './prepared.ts';
import { ABOVE_ALL, Walk } from './walk.ts';

/** Runs of lanes by their place, from old to young: a view that stays as it is. */
export type Frozen = ReadonlyMap<Bytes, readonly Run[]>;

export class Generation {
  readonly #points = new KeyMap<Cell>();
  /** Points of turns that were prepared, as they came. */
  readonly #blocks: Pick<Prepared, 'points' | 'filter'>[] = [];
  readonly #lanes = new Map<Bytes, Lane>();
  /** Writes added, those that a later one overwrote included. */
  cells = 0;
  bytes = 0;
  /** Journal numbers of the oldest and the newest write. */
  oldest = Number.POSITIVE_INFINITY;
  newest = 0;

  get(key: Bytes): Cell | undefined {
    const hash = hashOf(key);
    let found = this.#points.get(key, hash);
    for (const { points, filter } of this.#blocks) {
      if (!filter.mayHave(hash)) continue;
      const cell = points.get(key, hash);
      if (cell !== undefined && (found === undefined || cell.number > found.number)) found = cell;
    }
    return found;
  }

  /** Adds a write that is younger than all that are here. */
  add(cell: Cell): void {
    this.#points.set(cell.key, cell);
    this.cells++;
    this.bytes += cellBytes(cell);
    if (this.newest === 0) this.oldest = cell.number;
    this.newest = cell.number;
    this.#lane(laneOf(cell.key)).add(cell);
  }

  /** Adds the writes of a prepared turn, which have this number and are younger than all that are here. */
  adopt({ points, filter, cells, bytes, lanes }: Prepared, number: number): void {
    this.#blocks.push({ points, filter });
    this.cells += cells;
    this.bytes += bytes;
    if (this.newest === 0) this.oldest = number;
    this.newest = number;
    for (const [place, run] of lanes) this.#lane(place).adopt(run);
  }

  #lane(place: Bytes): Lane {
    let lane = this.#lanes.get(place);
    if (lane === undefined) this.#lanes.set(place, (lane = new Lane()));
    return lane;
  }

  /** The runs that may hold keys of `from <= key < to`. */
  runs(from: Bytes, to: Bytes): readonly Run[] {
    const place = laneOf(from);
    if (place.length === LANE_KEY_BYTES && to <= after(place)) return this.#lanes.get(place)?.runs() ?? [];
    return runsWithin(this.#places((each) => each < to && `${each}${ABOVE_ALL}` > from));
  }

  #places(wanted: (place: Bytes) => boolean): Map<Bytes, readonly Run[]> {
    const found = new Map<Bytes, readonly Run[]>();
    for (const [place, lane] of this.#lanes) if (wanted(place)) found.set(place, lane.runs());
    return found;
  }

  /** A view of the keys that begin with `prefix`. */
  freeze(prefix: Bytes): Frozen {
    return this.#places((place) => place.startsWith(prefix) || prefix.startsWith(place));
  }

  /** One walk for each lane, in the order of their keys. */
  walks(): Walk[] {
    const lanes = [...this.#lanes].sort(([a], [b]) => (a < b ? -1 : 1));
    return lanes.map(([, lane]) => new Walk(lane.runs(), '', ABOVE_ALL, false));
  }
}

function runsWithin(lanes: ReadonlyMap<Bytes, readonly Run[]>): readonly Run[] {
  return [...lanes.values()].flat();
}

/** The runs of a view that may hold keys of `from <= key < to`. */
export function frozenRuns(view: Frozen, from: Bytes, to: Bytes): readonly Run[] {
  const place = laneOf(from);
  if (place.length === LANE_KEY_BYTES && to <= after(place)) return view.get(place) ?? [];
  return runsWithin(view);
}

/** The runs of a view in which a key may be. */
export function frozenLane(view: Frozen, key: Bytes): readonly Run[] {
  return view.get(laneOf(key)) ?? [];
}
