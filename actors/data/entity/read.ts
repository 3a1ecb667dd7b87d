/**
 * The one way to rows: every surface reads through `findRows`, so that no reader passes by access and row rules.
 * A short scan ends within the turn; a long one goes on over a snapshot, in slices between which other turns run.
 */
import { limits } from '#config/limits.ts';
import { admits, visibleTo } from './access.ts';
import { isDeleted } from './codec.ts';
import type { StoredRow } from './codec.ts';
import { Scan } from './execute.ts';
import type { Page } from './execute.ts';
import { denied, failure, isFailure } from './failure.ts';
import type { Failure } from './failure.ts';
import type { Admits } from './filter.ts';
import type { Bytes } from './keys/store.ts';
import type { EntityModel } from './model.ts';
import { planQuery } from './plan.ts';
import type { Plan } from './plan.ts';
import type { Query } from './query.ts';
import type { RequestView, Session } from './session.ts';
import { getRow, rowCount } from './store.ts';

export interface Found {
  readonly kind: 'found';
  readonly rows: readonly StoredRow[];
  /** Matches in all: from the kept counters when nothing filters, else only when they were counted. */
  readonly total: number | null;
  readonly query: Query;
  readonly plan: Plan;
}

/**
 * The row under an id as its caller may see it, with nothing else asked: the same choke point without a plan. Undefined when
 * there is none, when it is soft-deleted, or when the rules hide it; 403 when no rule lets him read.
 */
export function findRow(
  session: Session,
  model: EntityModel,
  request: RequestView,
  id: Bytes | null,
): StoredRow | undefined | Failure {
  const grant = visibleTo(session, model, request);
  if (grant === 'none') return denied('read', model.name);
  const row = id === null ? undefined : getRow(session.turn(), model, id);
  return row === undefined || isDeleted(row.slots) || !admits(grant, row.slots) ? undefined : row;
}

interface Run {
  readonly model: EntityModel;
  readonly query: Query;
  readonly plan: Plan;
  readonly visible: Admits | null;
}

/**
 * Rows of a query as its caller may see them; `parse` is asked for the query once he may read at all. Failures: 403 when no rule
 * lets him, what `parse` refuses, 422 for a sort past its bound, 500 for a scan that outlives its snapshot.
 * Synchronous unless the scan is long.
 */
export function findRows(
  session: Session,
  model: EntityModel,
  request: RequestView,
  parse: () => Query | Failure,
): Found | Failure | Promise<Found | Failure> {
  const grant = visibleTo(session, model, request);
  if (grant === 'none') return denied('read', model.name);
  const query = parse();
  if (isFailure(query)) return query;
  const visible = grant === 'all' ? null : grant;
  const known = visible === null && query.where.length === 0 ? keptTotal(session, model, query) : null;
  const counted = query.counted && known === null;
  const run: Run = { model, query: { ...query, counted }, plan: planQuery(model, query), visible };
  return runQuery(session, run, known);
}

function runQuery(session: Session, run: Run, known: number | null): Found | Failure | Promise<Found | Failure> {
  const { query, plan } = run;
  if (!plan.ordered && query.offset + query.limit > limits.data.sortRowsMax) return sortTooLarge(query);
  const page = readsWholeTable(session, run) ? null : scanNow(session, run);
  if (page !== null) return settle(session, run, page, known);
  return scanInSlices(session, run).then((sliced) =>
    sliced === null ? tookTooLong() : settle(session, run, sliced, known),
  );
}

function settle(
  session: Session,
  run: Run,
  page: Page,
  known: number | null,
): Found | Failure | Promise<Found | Failure> {
  if (page.inexact && run.plan.kind === 'index')
    return runQuery(session, { ...run, plan: { ...run.plan, ordered: false, reverse: false } }, known);
  return { kind: 'found', rows: page.rows, total: known ?? page.total, query: run.query, plan: run.plan };
}

function keptTotal(session: Session, model: EntityModel, query: Query): number {
  const count = rowCount(session.turn(), model.table);
  return query.deleted ? count.live + count.deleted : count.live;
}

/** Known beforehand to pass the bound of a turn, so that it need not be found out. */
function readsWholeTable(session: Session, { model, query, plan }: Run): boolean {
  if (plan.kind !== 'table' || (plan.ordered && !query.counted)) return false;
  const count = rowCount(session.turn(), model.table);
  return count.live + count.deleted > limits.data.turnScanRowsMax;
}

/** The page within this turn, or null when it is longer than a turn may last. */
function scanNow(session: Session, run: Run): Page | null {
  const scan = new Scan(session.turn(), run.model, run.query, run.plan, run.visible);
  const complete = scan.advance(limits.data.turnScanRowsMax);
  const page = scan.close();
  return complete ? page : null;
}

/** The page over one snapshot, or null when the snapshot grew too old. */
async function scanInSlices(session: Session, run: Run): Promise<Page | null> {
  const snapshot = session.snapshot();
  const end = session.clock.now() + limits.storage.snapshotMsMax;
  const scan = new Scan(snapshot, run.model, run.query, run.plan, run.visible);
  try {
    while (!scan.advance(limits.data.sliceScanRowsMax)) {
      await session.yieldTurn();
      if (session.clock.now() > end) return null;
    }
    return scan.close();
  } finally {
    scan.close();
    snapshot.close();
  }
}

function sortTooLarge(query: Query): Failure {
  const most = limits.data.sortRowsMax;
  return failure(422, `offset and limit together may be at most ${most} in an order that no index has`, {
    offset: query.offset,
  });
}

function tookTooLong(): Failure {
  return failure(500, `the query took longer than ${limits.storage.snapshotMsMax} ms`);
}
