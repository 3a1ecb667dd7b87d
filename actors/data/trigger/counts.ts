/**
 * How many events of each trigger wait, and what became of the others: in memory while the tenant is awake, and in its store. A new event does not
 * write the count of its trigger: that would cost as much as the event. An event that ends writes it, and so does each 64th new one, which also
 * writes a mark. After a crash the events behind the mark are counted, so that the counts are exact again:
 *
 *   ids ──── recorded ────▶ mark ─── at most 64 events that the counts may lack ───▶
 */
import { limits } from '#config/limits.ts';
import { Part } from '#actors/host/part.ts';
import { Work } from '#actors/host/work.ts';
import { countMark, entriesBehind, isMarked, putCount, putCountMark, storedCount } from './store.ts';
import type { StoredCount, TriggerCount, TriggerEntry, Turn } from './store.ts';

const NOTHING: StoredCount = { waiting: 0, dropped: 0, delivered: 0, failed: 0 };

interface Lane {
  waiting: number;
  dropped: number;
  delivered: number;
  failed: number;
  /** The newest event that `waiting` has counted, and that of the stored count. */
  newest: string;
  stored: string;
  isStored: boolean;
  /** Whether its stored count is of a Skep without marks: the next event stores it anew. */
  isUnmarked: boolean;
}

/** What a change adds to a count. */
export type CountChange = Readonly<Partial<TriggerCount>>;

const PART = new Part<Counts>('counts of triggers');

/** Events of triggers are staged, and end, in the turns of some work. */
export function workOf({ owner }: Turn): Work {
  if (!(owner instanceof Work)) throw new Error('an event of a trigger needs a turn of some work');
  return owner;
}

export function countOf(work: Work, trigger: string): TriggerCount {
  const { waiting, dropped, delivered, failed } = countsOf(work).lane(work.turn(), trigger);
  return { waiting: Math.max(0, waiting), dropped, delivered, failed };
}

/** New events of a trigger are staged in the work's turn; so many others found no room. */
export function countNew(work: Work, trigger: string, entries: readonly TriggerEntry[], dropped: number): void {
  countsOf(work).added(work, trigger, entries, dropped);
}

/** Events of a trigger end in the work's turn, or are dropped. */
export function countChange(work: Work, trigger: string, change: CountChange): void {
  countsOf(work).changed(work, trigger, change);
}

function countsOf(work: Work): Counts {
  const { activation } = work;
  const known = PART.find(activation);
  if (known !== undefined) return known;
  const counts = new Counts(work.turn());
  PART.set(activation, counts);
  return counts;
}

function addTo(lane: Lane, change: CountChange, times: 1 | -1): void {
  for (const [what, by] of Object.entries(change) as [keyof TriggerCount, number][]) lane[what] += times * by;
}

class Counts {
  readonly #lanes = new Map<string, Lane>();
  #mark: string;
  #unstored = 0;
  /** A turn was dropped that had stored counts: what is stored may differ from the memory until all is stored again. */
  #isStale = false;

  constructor(turn: Turn) {
    this.#mark = countMark(turn) ?? '';
    // Without a mark each count was stored with its event.
    if (this.#mark === '') return;
    for (const { id, trigger } of entriesBehind(turn, this.#mark)) {
      const lane = this.lane(turn, trigger);
      if (id > lane.newest) lane.newest = id;
      if (lane.isUnmarked || id <= lane.stored) continue;
      lane.waiting++;
      lane.isStored = false;
      this.#unstored++;
    }
  }

  lane(turn: Turn, trigger: string): Lane {
    const known = this.#lanes.get(trigger);
    if (known !== undefined) return known;
    const stored = storedCount(turn, trigger);
    const { newest = '', waiting, dropped, delivered, failed } = stored ?? NOTHING;
    const isUnmarked = stored !== undefined && !isMarked(stored);
    const lane = { waiting, dropped, delivered, failed, newest, stored: newest, isStored: true, isUnmarked };
    this.#lanes.set(trigger, lane);
    return lane;
  }

  /** New events wait. */
  added(work: Work, trigger: string, entries: readonly TriggerEntry[], dropped: number): void {
    const turn = work.turn();
    const lane = this.lane(turn, trigger);
    const taken = entries.length;
    lane.waiting += taken;
    lane.dropped += dropped;
    let isBehindAll = dropped === 0 && !lane.isUnmarked;
    for (const { id } of entries) {
      // An event that was put back, or one of a clock that was set back, would not be found behind the mark.
      if (id <= this.#mark || id <= lane.stored) isBehindAll = false;
      if (id > lane.newest) lane.newest = id;
    }
    this.#unstored += taken;
    lane.isStored = false;
    const isFull = this.#mark === '' || this.#isStale || this.#unstored >= limits.triggers.uncountedMax;
    if (isFull) this.#storeAll(turn);
    else if (!isBehindAll) this.#store(turn, trigger, lane);
    const hasStored = isFull || !isBehindAll;
    work.onEnd((kept) => {
      if (kept !== null) return;
      lane.waiting -= taken;
      lane.dropped -= dropped;
      this.#dropped(lane, hasStored);
    });
  }

  /** Events have ended, or a time found one waiting. */
  changed(work: Work, trigger: string, change: CountChange): void {
    const turn = work.turn();
    const lane = this.lane(turn, trigger);
    addTo(lane, change, 1);
    if (this.#isStale) this.#storeAll(turn);
    else this.#store(turn, trigger, lane);
    work.onEnd((kept) => {
      if (kept !== null) return;
      addTo(lane, change, -1);
      this.#dropped(lane, true);
    });
  }

  #dropped(lane: Lane, hasStored: boolean): void {
    lane.isStored = false;
    if (!hasStored) return;
    this.#isStale = true;
    for (const one of this.#lanes.values()) one.isStored = false;
  }

  #storeAll(turn: Turn): void {
    let newest = this.#mark;
    for (const [trigger, lane] of this.#lanes) {
      if (!lane.isStored) this.#store(turn, trigger, lane);
      if (lane.newest > newest) newest = lane.newest;
    }
    putCountMark(turn, newest);
    this.#mark = newest;
    this.#unstored = 0;
    this.#isStale = false;
  }

  #store(turn: Turn, trigger: string, lane: Lane): void {
    const { waiting, dropped, delivered, failed, newest } = lane;
    putCount(turn, trigger, { waiting, dropped, delivered, failed, newest });
    lane.stored = newest;
    lane.isStored = true;
    lane.isUnmarked = false;
  }
}
