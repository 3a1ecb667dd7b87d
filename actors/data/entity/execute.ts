/** Runs a plan: candidates in key order, the residue decides, a collector keeps the page. */
import type { Slots, StoredRow } from './codec.ts';
import { filterOf, sorterOf } from './filter.ts';
import type { Admits } from './filter.ts';
import { indexRange, isCut, tableRange } from './keys/store.ts';
import type { EntityModel, IndexModel } from './model.ts';
import type { Plan } from './plan.ts';
import type { Query } from './query.ts';
import { entryId, getRow } from './store.ts';
import type { Entry, Reader } from './store.ts';

/** The page of a query, and the number of all matches where they were counted. */
export interface Page {
  readonly rows: readonly StoredRow[];
  readonly total: number | null;
  /** Whether the plan's order may be wrong, because an index key was cut: the query must be run again with a sort. */
  readonly inexact: boolean;
}

/** One run of a query over one view. It can stop after any number of candidates and go on later. */
export class Scan {
  readonly #candidates: Candidates;
  readonly #filter: Admits;
  readonly #visible: Admits | null;
  readonly #collector: Collector;
  /** The index whose order is relied on. */
  readonly #relied: IndexModel | null;
  #inexact = false;

  /** `visible` is what access and row rules leave of the rows; null when they leave all. */
  constructor(reader: Reader, model: EntityModel, query: Query, plan: Plan, visible: Admits | null) {
    this.#candidates = candidates(reader, model, plan);
    this.#filter = filterOf(model, query);
    this.#visible = visible;
    this.#relied = plan.kind === 'index' && plan.ordered ? plan.index : null;
    this.#collector = new Collector(query, plan.ordered ? null : sorterOf(model, query));
  }

  /** Looks at up to `max` candidates; true when the page is complete. */
  advance(max: number): boolean {
    for (let seen = 0; seen < max && !this.#collector.full; seen++) {
      const row = this.#candidates.next();
      if (row === undefined) return true;
      const { slots } = row;
      if (!this.#filter(slots) || (this.#visible !== null && !this.#visible(slots))) continue;
      if (this.#relied !== null && isCut(this.#relied, slots)) this.#inexact = true;
      this.#collector.add(row);
    }
    return this.#collector.full;
  }

  /** Ends the run; the page when it was complete. */
  close(): Page {
    this.#candidates.end();
    return { ...this.#collector.page(), inexact: this.#inexact };
  }
}

function candidates(reader: Reader, model: EntityModel, plan: Plan): Candidates {
  if (plan.kind === 'point') return new PointCandidate(plan.id === null ? undefined : getRow(reader, model, plan.id));
  if (plan.kind === 'table') {
    const { from, to } = tableRange(model.table);
    return new RangeCandidates(reader.range(from, to, plan.reverse), ({ value }) => model.decode(value));
  }
  const { from, to } = indexRange(plan.index, plan.values);
  const range = reader.range(from, to, plan.reverse);
  return new RangeCandidates(range, (entry) => getRow(reader, model, entryId(entry)));
}

interface Candidates {
  /** The next row, undefined at the end. */
  next(): StoredRow | undefined;
  end(): void;
}

class PointCandidate implements Candidates {
  #row: StoredRow | undefined;

  constructor(row: StoredRow | undefined) {
    this.#row = row;
  }

  next(): StoredRow | undefined {
    const row = this.#row;
    this.#row = undefined;
    return row;
  }

  end(): void {
    this.#row = undefined;
  }
}

/** Rows by the entries of a range; an entry whose row is not there is passed over. */
class RangeCandidates implements Candidates {
  readonly #entries: IterableIterator<Entry>;
  readonly #rowOf: (entry: Entry) => StoredRow | undefined;

  constructor(entries: IterableIterator<Entry>, rowOf: (entry: Entry) => StoredRow | undefined) {
    this.#entries = entries;
    this.#rowOf = rowOf;
  }

  next(): StoredRow | undefined {
    for (;;) {
      const step = this.#entries.next();
      if (step.done === true) return undefined;
      const row = this.#rowOf(step.value);
      if (row !== undefined) return row;
    }
  }

  end(): void {
    this.#entries.return?.();
  }
}

/** Keeps the rows of a page: as they come when they come in order, else the best `offset + limit` of a bounded buffer. */
class Collector {
  readonly #query: Query;
  readonly #compare: ((a: Slots, b: Slots) => number) | null;
  readonly #kept: StoredRow[] = [];
  #matches = 0;

  constructor(query: Query, compare: ((a: Slots, b: Slots) => number) | null) {
    this.#query = query;
    this.#compare = compare;
  }

  get full(): boolean {
    const { counted, limit } = this.#query;
    return !counted && (limit === 0 || (this.#compare === null && this.#kept.length >= limit));
  }

  add(row: StoredRow): void {
    this.#matches++;
    const { offset, limit } = this.#query;
    if (this.#compare === null) {
      if (this.#matches > offset && this.#kept.length < limit) this.#kept.push(row);
      return;
    }
    this.#kept.push(row);
    if (this.#kept.length >= 2 * (offset + limit) + 16) this.#shorten(this.#compare);
  }

  #shorten(compare: (a: Slots, b: Slots) => number): void {
    this.#kept.sort((a, b) => compare(a.slots, b.slots));
    this.#kept.length = Math.min(this.#kept.length, this.#query.offset + this.#query.limit);
  }

  page(): Omit<Page, 'inexact'> {
    const total = this.#query.counted ? this.#matches : null;
    if (this.#compare === null) return { rows: this.#kept, total };
    this.#shorten(this.#compare);
    return { rows: this.#kept.slice(this.#query.offset), total };
  }
}
