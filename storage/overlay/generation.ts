/** Pending writes of a shard that leave together: points by a map, order by a lane for each table of each store. */
import { after } from '../key.ts';
import type { Bytes } from '../port.ts';
import { cellBytes } from './cell.ts';
import type { Cell } from './cell.ts';
import { Lane } from './lane.ts';
import type { Run } from './lane.ts';
import { ABOVE_ALL, Walk } from './walk.ts';

/** Key bytes that tell lanes apart: tenant, datastore, table. A shorter key is a lane of its own. */
const LANE_KEY_BYTES = 7;

/** Runs of lanes by their place, from old to young: a view that stays as it is. */
export type Frozen = ReadonlyMap<Bytes, readonly Run[]>;

export class Generation {
  readonly #points = new Map<Bytes, Cell>();
  readonly #lanes = new Map<Bytes, Lane>();
  /** Writes added, those that a later one overwrote included. */
  cells = 0;
  bytes = 0;
  /** Journal numbers of the oldest and the newest write. */
  oldest = Number.POSITIVE_INFINITY;
  newest = 0;

  get(key: Bytes): Cell | undefined {
    return this.#points.get(key);
  }

  /** Adds a write that is younger than all that are here. */
  add(cell: Cell): void {
    this.#points.set(cell.key, cell);
    this.cells++;
    this.bytes += cellBytes(cell);
    if (this.newest === 0) this.oldest = cell.number;
    this.newest = cell.number;
    const place = laneOf(cell.key);
    let lane = this.#lanes.get(place);
    if (lane === undefined) this.#lanes.set(place, (lane = new Lane()));
    lane.add(cell);
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

function laneOf(key: Bytes): Bytes {
  return key.slice(0, LANE_KEY_BYTES);
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
