/**
 * Walks all rows of a query, however many, in batches, for exports and other readers that do not collect them. The same rules as in
 * `findRows`. Where an index or the table gives the order, rows come from one snapshot after the other, each held for a bounded time and
 * continuing behind the last row: a long walk sees each row once, as it is when the walk gets there. An order that needs a sort is
 * found whole beforehand, within the bound of lists.
 */
import { limits } from '#config/limits.ts';
import { admits, followsReferences, visibleTo, type Grant } from './access.ts';
import type { StoredRow } from './codec.ts';
import { denied, isFailure, type Failure } from './failure.ts';
import { filterOf, type Admits } from './filter.ts';
import type { KeyRange } from './keys/store.ts';
import { Budget, type SliceBound } from '#actors/kit/pace/budget.ts';
import { inFuel } from '#actors/kit/pace/fuel.ts';
import type { EntityModel, IndexModel } from './model.ts';
import type { Plan } from './access-path.ts';
import type { Asker } from './path/asker.ts';
import { boundTo, crossesReferences, crossingFault } from './path/bind.ts';
import { mayPause, Unfinished } from './path/rows-test.ts';
import { planQuery } from './plan.ts';
import type { Query } from './query.ts';
import { findRows, unmaskedFor } from './read.ts';
import type { RequestView, Session } from './session.ts';
import { entryId, findRow, rowOf, type Entry, type Reader } from './store.ts';
import { FIELD_TYPES } from '#config/values/field-types.ts';

export type Batches = AsyncGenerator<readonly StoredRow[], void>;

/** A plan that is one range of keys. */
interface RangePlan {
  readonly index: IndexModel | null;
  readonly range: KeyRange;
  readonly ordered: boolean;
  readonly reverse: boolean;
}

const EXPORT_SLICE: SliceBound = {
  sliceReadMsMax: limits.data.sliceMsMax,
  sliceRowsMax: limits.data.exportSliceRows,
  sliceBytesMax: limits.data.exportSliceBytes,
};

/**
 * Batches of rows, one for each slice, at most `query.limit` rows in all. 403 when no rule lets the caller read, 422 for a sort past its
 * bound.
 */
export async function walkRows(
  session: Session,
  named: EntityModel,
  request: RequestView,
  query: Query,
  bound: SliceBound = EXPORT_SLICE,
): Promise<Batches | Failure> {
  const model = named.whole;
  const grant = visibleTo(session, model, request);
  if (grant === 'none') return denied('read', model.name);
  const unmasked = crossingFault(query) ?? unmaskedFor(session, model, request, query);
  if (isFailure(unmasked)) return unmasked;
  const plan = model.isView ? null : rangeOf(planQuery(model, query));
  if (plan !== null && (query.order.length === 0 || isExact(plan)))
    return new Walk(
      { session, request },
      model,
      query,
      plan,
      visibleOver(session, model, request, grant),
      bound,
    ).batches();
  const found = await findRows(session, model, request, () => query);
  return isFailure(found) ? found : whole(found.rows);
}

/** What is visible in a view. Where rules follow references, they follow them in that view. */
function visibleOver(
  session: Session,
  model: EntityModel,
  request: RequestView,
  grant: Grant,
): (reader: Reader) => Grant {
  return followsReferences(model) ? (reader) => visibleTo(session, model, request, reader) : () => grant;
}

/** What the query asks of rows, in a view: the same in each, unless it asks for rows that references lead to. A question that may pause burns fuel. */
function filterOver(asker: Asker, model: EntityModel, query: Query): (reader: Reader) => Admits {
  const over = (reader: Reader): Admits => filterOf(model, boundTo(reader, asker, model, query, query.deleted));
  if (mayPause(query)) return (reader) => fuelledOnce(over(reader));
  if (crossesReferences(query)) return over;
  const filter = filterOf(model, query);
  return () => filter;
}

const fuelledOnce =
  (filter: Admits): Admits =>
  (slots) =>
    inFuel(() => filter(slots));

function rangeOf(plan: Plan): RangePlan | null {
  const { ordered, reverse } = plan;
  if (plan.kind === 'table') return { index: null, range: plan.range, ordered, reverse };
  if (plan.kind !== 'index' || plan.merged || plan.ranges.length !== 1) return null;
  return { index: plan.index, range: plan.ranges[0]!, ordered, reverse };
}

/** Whether the plan gives the exact order: no field of the index has a type whose values can be too long for a key and be cut. */
function isExact(plan: RangePlan): boolean {
  if (!plan.ordered) return false;
  return plan.index === null || plan.index.fields.every(({ type }) => !FIELD_TYPES[type].exceedsKeys);
}

async function* whole(rows: readonly StoredRow[]): Batches {
  for (let from = 0; from < rows.length; from += limits.data.exportSliceRows)
    yield rows.slice(from, from + limits.data.exportSliceRows);
}

class Walk {
  readonly #session: Session;
  readonly #model: EntityModel;
  readonly #index: IndexModel | null;
  readonly #reverse: boolean;
  readonly #filterOver: (reader: Reader) => Admits;
  readonly #visibleOver: (reader: Reader) => Grant;
  readonly #bound: SliceBound;
  /** The keys that are left to walk. */
  #range: KeyRange;
  #left: number;
  /** A row of which the filter has no answer yet. */
  #held: StoredRow | null = null;

  constructor(
    asker: Asker,
    model: EntityModel,
    query: Query,
    plan: RangePlan,
    visibleOver: (reader: Reader) => Grant,
    bound: SliceBound,
  ) {
    this.#session = asker.session;
    this.#model = model;
    this.#index = plan.index;
    this.#reverse = plan.reverse;
    this.#filterOver = filterOver(asker, model, query);
    this.#visibleOver = visibleOver;
    this.#range = plan.range;
    this.#left = query.limit;
    this.#bound = bound;
  }

  async *batches(): Batches {
    while (this.#left > 0) {
      const over = yield* this.#stage();
      if (over) return;
    }
  }

  /** Batches over one snapshot; true at the end of the range. The snapshot is released in time, so that a slow reader does not make it old. */
  async *#stage(): AsyncGenerator<readonly StoredRow[], boolean> {
    const { clock } = this.#session;
    const snapshot = this.#session.snapshot();
    const end = clock.now() + limits.data.exportSnapshotMs;
    const visible = this.#visibleOver(snapshot);
    const filter = this.#filterOver(snapshot);
    try {
      const entries = snapshot.range(this.#range.from, this.#range.to, this.#reverse);
      while (this.#left > 0 && (clock.now() <= end || this.#held !== null)) {
        const { rows, over } = this.#slice(snapshot, entries, visible, filter);
        if (rows.length > 0) yield rows;
        if (over) return true;
        await this.#session.yieldTurn();
      }
      return this.#left === 0;
    } finally {
      snapshot.close();
    }
  }

  #slice(
    reader: Reader,
    entries: IterableIterator<Entry>,
    visible: Grant,
    filter: Admits,
  ): { rows: StoredRow[]; over: boolean } {
    const rows: StoredRow[] = [];
    for (const budget = new Budget(this.#session.clock, this.#bound); this.#left > 0 && !budget.look();) {
      const row = this.#held ?? this.#next(reader, entries, budget);
      if (row === null) return { rows, over: true };
      const fits = row !== undefined && this.#fits(filter, row);
      if (this.#held !== null) return { rows, over: false };
      if (!fits || !admits(visible, row.slots)) continue;
      rows.push(row);
      this.#left--;
    }
    return { rows, over: this.#left === 0 };
  }

  /** Null at the end; undefined for an entry without a row. */
  #next(reader: Reader, entries: IterableIterator<Entry>, budget: Budget): StoredRow | undefined | null {
    const step = entries.next();
    if (step.done === true) return null;
    this.#passed(step.value.key);
    budget.count(1, step.value.value.length);
    return this.#rowOf(reader, step.value);
  }

  /** Whether the row is asked for. Where the answer needs a further slice, the row is held. */
  #fits(filter: Admits, row: StoredRow): boolean {
    this.#held = null;
    try {
      return filter(row.slots);
    } catch (error) {
      if (!(error instanceof Unfinished)) throw error;
      this.#held = row;
      return false;
    }
  }

  #passed(key: string): void {
    const { from, to } = this.#range;
    this.#range = this.#reverse ? { from, to: key } : { from: `${key}\0`, to };
  }

  #rowOf(reader: Reader, entry: Entry): StoredRow | undefined {
    return this.#index === null ? rowOf(this.#model, entry) : findRow(reader, this.#model, entryId(entry));
  }
}
