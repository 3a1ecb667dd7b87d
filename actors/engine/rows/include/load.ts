/**
 * Loads the rows of includes. For each relation a row is read once, however many rows refer to it, under the access and row rules of
 * its own entity.
 */
import { burn } from '#actors/kit/pace/fuel.ts';
import { limits } from '#config/limits.ts';
import { admits, visibleTo, type Grant } from '../access.ts';
import { isDeleted, type Slots, type StoredRow } from '../codec.ts';
import { denied, failure, isFailure, type Failure } from '../failure.ts';
import { conjunctionOf, sorterOf, type Admits } from '../filter.ts';
import { indexRange, type Bytes } from '../keys/store.ts';
import { isRead } from '../links/link.ts';
import type { EntityModel, Link } from '../model.ts';
import { shownOf } from './relation.ts';
import type { Budget } from '#actors/kit/pace/budget.ts';
import type { Steps } from '#actors/kit/pace/steps.ts';
import { Collector } from '../page.ts';
import { boundTo } from '../path/bind.ts';
import { mayPause, patiently } from '../path/rows-test.ts';
import { query, type Include } from '../query.ts';
import { SchemaMoved } from '../schema-moved.ts';
import type { RequestView, Session } from '../session.ts';
import { entryId, findRow, type Reader } from '../store.ts';

/** The rows of one relation, by the value that refers to them: one row, or all that refer back. */
export interface Related {
  readonly kind: 'related';
  readonly include: Include;
  readonly model: EntityModel;
  readonly rows: ReadonlyMap<unknown, readonly StoredRow[]>;
  readonly related: readonly Related[];
}

export interface Loading {
  readonly session: Session;
  readonly request: RequestView;
  readonly reader: Reader;
  readonly pace: Budget;
  /** Whether soft-deleted rows are visible. */
  readonly deleted: boolean;
  /** How many more rows may be included. */
  left: number;
}

export function loadingOf(
  session: Session,
  request: RequestView,
  reader: Reader,
  pace: Budget,
  deleted: boolean,
): Loading {
  return { session, request, reader, pace, deleted, left: limits.data.includeRowsMax };
}

/** Loads relations of these rows, and those nested in them. 403 when no rule lets the caller read one of the entities. */
export function* loadRelated(
  loading: Loading,
  includes: readonly Include[],
  parents: readonly StoredRow[],
): Steps<readonly Related[] | Failure> {
  const out: Related[] = [];
  for (const include of includes) {
    const related = yield* loadOne(loading, include, parents);
    if (isFailure(related)) return related;
    out.push(related);
  }
  return out;
}

function* loadOne(loading: Loading, include: Include, parents: readonly StoredRow[]): Steps<Related | Failure> {
  const { reference, many, link } = include;
  const { principal } = loading.session;
  const see = (of: EntityModel): EntityModel => of.seenBy(principal);
  // Rows that are included are shown by this model.
  const model = see(shownOf(include));
  const isHidden = see(reference.from).column(reference.column.name) === undefined;
  if (isHidden || (link !== undefined && !isRead(link, see))) return denied('read', model.name);
  const request: RequestView = { ...loading.request, operation: 'read', entity: model.name, id: null };
  const grant = visibleTo(loading.session, model, request, loading.reader);
  if (grant === 'none') return denied('read', model.name);
  const at = many ? reference.to.key.at : reference.column.at;
  const values = new Set(parents.map(({ slots }) => slots[at]).filter((value) => value !== null));
  const rows = new Map<unknown, readonly StoredRow[]>();
  const wanted = wantedOf(loading, include, model, grant);
  const pauses = include.asked !== null && mayPause(include.asked);
  for (const value of values) {
    const found = many
      ? yield* referrers(loading, include, wanted, value)
      : pauses
        ? yield* patientTarget(loading, model, wanted, value)
        : target(loading, model, wanted, value);
    loading.left -= found.length;
    if (loading.left < 0) return tooManyRows();
    if (found.length > 0) rows.set(value, found);
    if (loading.pace.spend(1)) yield;
  }
  const related = yield* loadRelated(loading, include.include, [...rows.values()].flat());
  return isFailure(related) ? related : { kind: 'related', include, model, rows, related };
}

/** Which rows of a relation are shown: those that the caller may see and that the include asks for. Where it asks, each row looked at burns fuel. */
function wantedOf(loading: Loading, { asked }: Include, model: EntityModel, grant: Grant): Admits {
  const { session, request, reader, deleted } = loading;
  const isShown: Admits = (slots) => (deleted || !isDeleted(slots)) && admits(grant, slots);
  if (asked === null) return isShown;
  const bound = boundTo(reader, { session, request }, model, asked, deleted);
  const fits = conjunctionOf(model, bound);
  return (slots) => {
    burn(limits.data.includeLookUnits + model.columns.length);
    return fits(slots) && isShown(slots);
  };
}

/** The row that a reference names; none when it does not exist, is soft-deleted, hidden from the caller, or not asked for. */
function target({ reader }: Loading, model: EntityModel, wanted: Admits, value: unknown): StoredRow[] {
  const id = model.idOf(value);
  const row = id === null ? undefined : findRow(reader, model, id);
  return row !== undefined && wanted(row.slots) ? [row] : [];
}

/** The same where the question may take several slices. */
function* patientTarget(loading: Loading, model: EntityModel, wanted: Admits, value: unknown): Steps<StoredRow[]> {
  const [row] = target(loading, model, () => true, value);
  return row !== undefined && (yield* patiently(wanted, row.slots)) ? [row] : [];
}

/** Rows that refer to a key, in the order of their own keys unless the include says another. Stops one row past the bound of included rows. */
function* referrers(loading: Loading, include: Include, wanted: Admits, value: unknown): Steps<readonly StoredRow[]> {
  const { reference, asked, link } = include;
  const { index } = reference;
  const shown = shownOf(include);
  if (index === null) return [];
  const most = Math.min(asked?.limit ?? Infinity, loading.left + 1);
  const pauses = asked !== null && mayPause(asked);
  const page = query(shown.name, { order: asked?.order ?? [], limit: most });
  // Entries of one value lie in the order of the rows' keys, where the index has no further field. All rows are sorted once, at the end.
  const isInOrder = page.order.length === 0 && index.names.length === 1 && link === undefined;
  const collector = new Collector(page, isInOrder || asked === null ? null : sorterOf(shown, page));
  const range = indexRange(index, [value]);
  const entries = loading.reader.range(range.from, range.to);
  try {
    for (let step = entries.next(); step.done !== true; step = entries.next()) {
      const row = rowAt(loading.reader, include, value, entryId(step.value));
      if (row !== undefined && (pauses ? yield* patiently(wanted, row.slots) : wanted(row.slots))) collector.add(row);
      if (collector.full) break;
      if (loading.pace.spend(1)) yield;
    }
  } finally {
    entries.return?.();
  }
  const { rows } = yield* collector.page(loading.pace);
  return asked === null && !isInOrder ? rows.toSorted(byKey(shown)) : rows;
}

/** The row that an entry of the index leads to. The range may also hold other rows, so each row is checked. */
function rowAt(reader: Reader, { reference, link }: Include, value: unknown, id: Bytes): StoredRow | undefined {
  const row = findRow(reader, reference.from, id);
  if (row === undefined || row.slots[reference.column.at] !== value) return undefined;
  return link === undefined ? row : linkedRow(reader, link, row.slots);
}

/** The row on the other side of a pair. */
function linkedRow(reader: Reader, { over: { to, column } }: Link, pair: Slots): StoredRow | undefined {
  if (to.retired) throw new SchemaMoved(to.name);
  const id = to.idOf(pair[column.at]);
  return id === null ? undefined : findRow(reader, to, id);
}

function byKey({ key: { at, compare } }: EntityModel): (a: StoredRow, b: StoredRow) => number {
  return (a, b) => compare!(a.slots[at], b.slots[at]);
}

function tooManyRows(): Failure {
  const most = limits.data.includeRowsMax;
  return failure(422, `the included rows are more than ${most}: ask for fewer rows`, { parameter: 'include', most });
}
