/**
 * The only way to read rows: every surface reads through `findRows`, so that no read bypasses access rules, row rules and masks.
 * A short read ends within the turn; a long one runs over a snapshot, in slices between which other turns run.
 */
import { limits } from '#config/limits.ts';
import { sortsTooMany, type Plan } from './access-path.ts';
import { admits, bothOf, followsReferences, grantOf, reportHidden, visibleTo, type Grant } from './access.ts';
import { isDeleted, type StoredRow } from './codec.ts';
import { runPlan } from './execute.ts';
import { damagedRow, denied, failure, isFailure, type Failure } from './failure.ts';
import type { Found } from './found.ts';
import { filterOf, type Admits } from './filter.ts';
import { collectGroups } from './group/collect.ts';
import { loadingOf, loadRelated, type Related } from './include/load.ts';
import { resolveWords } from '../search/text-plan.ts';
import { refinePlan, type Probe } from './intersect.ts';
import type { Bytes } from './keys/store.ts';
import type { EntityModel } from './model.ts';
import { knownOf } from './narrow.ts';
import { readInSlices } from './pace.ts';
import type { Budget } from '#actors/kit/pace/budget.ts';
import type { Steps } from '#actors/kit/pace/steps.ts';
import type { Page } from './page.ts';
import { planQuery } from './plan.ts';
import { boundTo, crossingFault, readsElsewhere } from './path/bind.ts';
import { isBackward, isUnconditional, ownFieldsIn, reversed } from './query.ts';
import type { Grouping, Predicate, Query } from './query.ts';
import { sourceOf } from './row-source.ts';
import { SchemaMoved } from './schema-moved.ts';
import type { RequestView, Session } from './session.ts';
import { findRow as rowUnder, type Reader } from './store.ts';
import { rowCount } from './count/store.ts';
import { isDamagedRow } from './target.ts';
import { stateOf } from './versions/store.ts';

/**
 * One row by its id, under the same rules as `findRows` but without a plan. Undefined when there is none, when it is soft-deleted, or
 * when the rules hide it; 403 when no rule lets the caller read, 500 for a damaged row when the caller may see every row. Not for a view.
 */
export function findRow(
  session: Session,
  model: EntityModel,
  request: RequestView,
  id: Bytes | null,
): StoredRow | undefined | Failure {
  const grant = visibleTo(session, model, request);
  if (grant === 'none') return denied('read', model.name);
  const row = id === null ? undefined : rowUnder(session.turn(), model, id);
  if (row === undefined && id !== null && grant === 'all' && isDamagedRow(session, model, id))
    return damagedRow(model.name, request.id);
  if (row === undefined || isDeleted(row.slots)) return undefined;
  if (admits(grant, row.slots)) return row;
  reportHidden(session, model, request);
  return undefined;
}

interface Run {
  readonly session: Session;
  readonly request: RequestView;
  readonly model: EntityModel;
  /** The query as it was asked. */
  readonly asked: Query;
  /** The query as it is run: reversed for the page before a place, and bound to the view that it reads. */
  readonly query: Query;
  /** The same, not bound yet. */
  readonly unbound: Query;
  readonly visible: Admits | null;
  /** What the caller of `findRows` asked of rows besides the rules of a read. */
  readonly also: Grant;
  readonly plan: Plan;
  /** The total from the stored counters; null where they do not give it. */
  readonly total: number | null;
  readonly unmasked: Grant;
}

export type { Found } from './found.ts';

const NOTHING_KNOWN: readonly Predicate[] = [];
const NOTHING_RELATED: readonly Related[] = [];

/**
 * Rows of a query as the caller may see them, and of these the ones that `also` admits; `parse` makes the query, once the caller is known to be allowed to read. Failures: 403
 * when no rule lets the caller read, those of `parse`, 422 for a sort past its bound, 500 for a scan that outlives its snapshot.
 * Synchronous unless the scan is long.
 */
export function findRows(
  session: Session,
  named: EntityModel,
  request: RequestView,
  parse: () => Query | Failure,
  also: Grant = 'all',
): Found | Failure | Promise<Found | Failure> {
  const model = named.whole;
  if (model.retired) throw new SchemaMoved(model.name);
  if (model.isView) return sourceOf(model).find(session, request, parse, also);
  const over = followsReferences(model) ? session.turn() : null;
  const seen = visibleTo(session, model, request, over);
  const grant = bothOf(seen, also);
  if (seen === 'none' || grant === 'none') return denied('read', model.name);
  const asked = parse();
  if (isFailure(asked)) return asked;
  const unmasked = crossingFault(asked) ?? unmaskedFor(session, model, request, asked);
  if (isFailure(unmasked)) return unmasked;
  const visible = grant === 'all' ? null : grant;
  const total = visible === null && isUnconditional(asked) ? keptTotal(session, model, asked) : null;
  const query = total === null || !asked.counted ? asked : { ...asked, counted: false };
  const known = visible === null ? NOTHING_KNOWN : knownOf(session, model, request, over);
  const unbound = presentOf(model, isBackward(query) ? reversed(query, model.key.name) : query);
  const view = over ?? (readsElsewhere(asked) ? session.turn() : null);
  const turned = view === null ? unbound : boundTo(view, { session, request }, model, unbound, query.deleted);
  const plan = planQuery(model, turned, known);
  const common = { session, request, model, asked: query, also, total, unmasked };
  const run: Run = { ...common, query: turned, unbound, plan, visible };
  if (isTooLarge(run)) return sortTooLarge(query);
  return readInSlices(session, readsWholeTable(run), (reader, pace) =>
    reading(view === null || view === reader ? run : inView(run, reader), reader, pace),
  );
}

/** The same read where rules or conditions follow references, in another view: there they may lead to other rows, and so the plan is another, too. */
function inView(run: Run, reader: Reader): Run {
  const { session, model, request, unbound } = run;
  if (model.retired) throw new SchemaMoved(model.name);
  const grant = bothOf(visibleTo(session, model, request, reader), run.also);
  const visible: Admits | null = grant === 'all' ? null : (slots) => admits(grant, slots);
  const known = visible === null ? NOTHING_KNOWN : knownOf(session, model, request, reader);
  const query = boundTo(reader, { session, request }, model, unbound, unbound.deleted);
  return { ...run, visible, query, plan: planQuery(model, query, known) };
}

function* reading(run: Run, reader: Reader, pace: Budget): Steps<Found | Failure> {
  if (isTooLarge(run)) return sortTooLarge(run.query);
  const { group } = run.query;
  return group === null ? yield* rowsOf(run, reader, pace) : yield* groupsOf(run, group, reader, pace);
}

function isTooLarge({ plan, query }: Run): boolean {
  return !plan.ordered && plan.kind !== 'point' && query.group === null && sortsTooMany(query);
}

/**
 * Which rows may show masked fields. 403 when the query uses a field that the caller does not read: parsers do not know such a field, so this
 * is for queries that no parser made, such as those of actions, and for searches by words. 403 when the query asks for unmasked fields and no
 * rule allows it, and when it compares, orders, groups or searches by a masked field without that right: the answer would reveal what the mask hides.
 */
export function unmaskedFor(session: Session, model: EntityModel, request: RequestView, query: Query): Grant | Failure {
  if (model.views !== null && usesHidden(model.seenBy(session.principal), query))
    return hiddenFrom(session, model, request);
  if (!query.unmask && !model.masked) return 'none';
  const grant = grantOf(session, model, 'unmask', request);
  if (query.unmask && grant === 'none') return denied('unmask', model.name);
  const masked = grant === 'all' ? undefined : usedFields(query).find((name) => model.column(name)?.mask != null);
  if (masked !== undefined) return failure(403, `${masked} is masked: a query by it is not allowed`, { field: masked });
  return query.unmask ? grant : 'none';
}

function hiddenFrom(session: Session, model: EntityModel, { operation }: RequestView): Failure {
  session.denied?.({ entity: model.name, operation, fault: null, why: () => 'roles of a field' });
  return failure(403, `a field of ${model.name} that this caller does not read cannot be used for it`);
}

function usesHidden(model: EntityModel, query: Query): boolean {
  const selected = (query.select ?? []).map((name) => name.split('/', 1)[0]!); // a part of a json field is named behind it
  const isKnown = (name: string): boolean => model.column(name) !== undefined;
  return !usedFields(query).every(isKnown) || !selected.every((name) => isKnown(name) || model.computed.has(name));
}

function usedFields(query: Query): string[] {
  const { order, group, text } = query;
  const grouped = group === null ? [] : [...group.by, ...group.aggregates];
  const named = [...order, ...grouped].flatMap(({ field, column }) => (column === undefined ? (field ?? []) : []));
  return [...ownFieldsIn(query), ...named, ...(text?.fields ?? [])];
}

/** The query that finds the present row: predicates on an older state do not apply to it, only the key does. */
function presentOf(model: EntityModel, query: Query): Query {
  if (query.version === null) return query;
  return { ...query, where: query.where.filter(({ field }) => field === model.key.name), any: [] };
}

function keptTotal(session: Session, model: EntityModel, query: Query): number | null {
  if (query.group !== null) return null;
  const count = rowCount(session.turn(), model.table);
  return query.deleted ? count.live + count.deleted : count.live;
}

/** Whether the read is known beforehand to exceed a turn, so that it is not tried there first. */
function readsWholeTable({ session, model, query, plan }: Run): boolean {
  if (plan.kind !== 'table' || plan.tailed || (plan.ordered && !query.counted && query.group === null)) return false;
  const count = rowCount(session.turn(), model.table);
  return count.live + count.deleted > limits.data.turnScanRowsMax;
}

function* rowsOf(run: Run, reader: Reader, pace: Budget): Steps<Found | Failure> {
  const { session, request, model, asked, query, total } = run;
  const plan = refined(run.plan, reader);
  if (isFailure(plan)) return plan;
  const page = (yield* runPlan(reader, pace, model, query, plan, run.visible)) ?? (yield* sorted(run, reader, pace));
  if (isFailure(page)) return page;
  const present = isBackward(asked) ? page.rows.toReversed() : page.rows;
  const rows = asked.version === null ? present : statesIn(run, reader, present);
  const unmasked = asked.version === null ? run.unmasked : throughout(run.unmasked, present);
  const loading = loadingOf(session, request, reader, pace, query.deleted);
  const related = query.include.length === 0 ? NOTHING_RELATED : yield* loadRelated(loading, query.include, rows);
  if (isFailure(related)) return related;
  const { more, looked } = page;
  const found = { kind: 'found', rows, related, groups: null, total: total ?? page.total } as const;
  return { ...found, more, query: asked, plan, looked, unmasked };
}

/**
 * The rows as they were in the version that is asked for. The caller must be allowed to see both the present and the old state; the
 * predicates test the old one.
 */
function statesIn(run: Run, reader: Reader, present: readonly StoredRow[]): StoredRow[] {
  const { model, visible, asked } = run;
  const fits = filterOf(model, boundTo(reader, run, model, asked, asked.deleted));
  return present.flatMap((row) => {
    const slots = stateOf(reader, model, row.slots, asked.version!);
    return slots === undefined || !fits(slots) || (visible !== null && !visible(slots))
      ? []
      : { slots, json: '', by: null };
  });
}

/** An old state is shown unmasked only where the present row would be, too. */
function throughout(grant: Grant, present: readonly StoredRow[]): Grant {
  return present.every(({ slots }) => admits(grant, slots)) ? grant : 'none';
}

/** The same read again with a sort: an index whose keys were cut does not give the order. Cursors do not narrow the range then. */
function* sorted({ model, query, visible }: Run, reader: Reader, pace: Budget): Steps<Page | Failure> {
  if (sortsTooMany(query)) return sortTooLarge(query);
  const plan = planQuery(model, { ...query, after: null, before: null }, NOTHING_KNOWN);
  const unordered: Plan = { ...plan, ordered: false, reverse: false };
  return (yield* runPlan(reader, pace, model, query, unordered, visible))!;
}

function* groupsOf(run: Run, group: Grouping, reader: Reader, pace: Budget): Steps<Found | Failure> {
  const { model, query, asked, unmasked } = run;
  const plan = refined(run.plan, reader);
  if (isFailure(plan)) return plan;
  const groups = yield* collectGroups(reader, pace, model, query, group, plan, run.visible);
  if (isFailure(groups)) return groups;
  const total = query.counted ? groups.total : null;
  const { more } = groups;
  return {
    kind: 'found',
    rows: [],
    related: NOTHING_RELATED,
    groups: groups.groups,
    total,
    more,
    query: asked,
    plan,
    looked: 0,
    unmasked,
  };
}

/** The plan over the rows as they are in this view. */
function refined(plan: Plan, reader: Reader): Plan | Failure {
  return plan.kind === 'text' ? resolveWords(reader, plan) : refinePlan(plan, probeOf(reader));
}

function probeOf(reader: Reader): Probe {
  return ({ from, to }) => {
    let entries = 0;
    for (const _ of reader.range(from, to)) if (++entries === limits.data.planProbeEntries) break;
    return entries;
  };
}

function sortTooLarge(query: Query): Failure {
  const most = limits.data.sortRowsMax;
  return failure(422, `offset and limit together may be at most ${most} in an order that no index has`, {
    offset: query.offset,
  });
}
