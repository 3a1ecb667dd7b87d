/** Creates many rows in one commit, or changes those that hold a unique key already (docs/contract/data.md §6.8). */
import { FIELD_TYPES } from '#config/values/field-types.ts';
import type { Input } from '#actors/kit/field-check.ts';
import { shown } from '#actors/kit/shown.ts';
import type { Steps } from '#actors/kit/pace/steps.ts';
import { admits, visibleTo, type Grant } from './access.ts';
import { isDeleted, type Slots } from './codec.ts';
import { createRow } from './create.ts';
import { denied, failure, isFailure, type Failure } from './failure.ts';
import { indexKey, type Bytes } from './keys/store.ts';
import type { Column, EntityModel, IndexModel } from './model.ts';
import { equals, query } from './query.ts';
import { unmaskedFor } from './read.ts';
import type { RequestView, Session } from './session.ts';
import { findRow, getEntry } from './store.ts';
import { updateRow } from './update.ts';
import type { Written } from './write.ts';

export interface NewRows {
  readonly rows: readonly Input[];
  /** The fields of a unique key: a row that holds their values is changed. Null where all rows are created. */
  readonly on: readonly string[] | null;
  /** What rules see as `request.method`. */
  readonly method: string;
}

/**
 * Stages the rows in order, each by the rules of a create or of an update, and calls `each` with it; a later row sees the earlier ones. A
 * failure is that of the first row that cannot be written, with its place in `details.row`: the caller drops the turn.
 */
export function* createRows(
  session: Session,
  model: EntityModel,
  { rows, on, method }: NewRows,
  each: (written: Written) => void,
): Steps<Failure | null> {
  const holders = on === null ? null : holdersOf(session, model, on, method);
  if (isFailure(holders)) return holders;
  for (const [at, row] of rows.entries()) {
    const request = (operation: string, id: unknown): RequestView => {
      return { method, operation, entity: model.name, id, data: row };
    };
    const written =
      holders === null ? createRow(session, model, row, request('create', null)) : holders.write(row, request);
    if (isFailure(written)) return inRow(written, at);
    each(written);
    yield;
  }
  return null;
}

function inRow({ status, message, details }: Failure, row: number): Failure {
  return failure(status, `row ${row}: ${message}`, { ...details, row });
}

/** Which rows hold the values of a unique key. 403 where the caller may not read, or where a mask hides a field; 422 for fields that are no key. */
function holdersOf(session: Session, model: EntityModel, on: readonly string[], method: string): Holders | Failure {
  const request: RequestView = { method, operation: 'read', entity: model.name, id: null, data: null };
  const grant = visibleTo(session, model, request);
  if (grant === 'none') return denied('read', model.name);
  const index = on.length === 1 && on[0] === model.key.name ? null : uniqueIndex(model, on);
  if (isFailure(index)) return index;
  const masked = unmaskedFor(
    session,
    model,
    request,
    query(model.name, { where: on.map((name) => equals(name, null)) }),
  );
  return isFailure(masked) ? masked : new Holders(session, model, index, grant);
}

function uniqueIndex(model: EntityModel, on: readonly string[]): IndexModel | Failure {
  const unique = model.indexes.filter((index) => index.unique);
  const index = unique.find(({ names }) => names.length === on.length && names.every((name) => on.includes(name)));
  if (index !== undefined) return index;
  const known = [[model.key.name], ...unique.map(({ names }) => names)].map((names) => names.join(',')).join(' or ');
  return failure(422, `${shown(on.join(','))} is no unique key of ${model.name}: write ${known}`, {
    parameter: '[on]',
  });
}

class Holders {
  readonly #session: Session;
  readonly #model: EntityModel;
  /** Null for the primary key. */
  readonly #index: IndexModel | null;
  readonly #columns: readonly Column[];
  readonly #visible: Grant;

  constructor(session: Session, model: EntityModel, index: IndexModel | null, visible: Grant) {
    this.#session = session;
    this.#model = model;
    this.#index = index;
    this.#columns = index === null ? [model.key] : index.names.map((name) => model.column(name)!);
    this.#visible = visible;
  }

  /** An update of the row that holds the key, or a create. A holder that is hidden or deleted makes the create fail as it would anyway. */
  write(row: Input, request: (operation: string, id: unknown) => RequestView): Written | Failure {
    const held = this.#heldBy(row);
    if (held === undefined) return createRow(this.#session, this.#model, row, request('create', null));
    const { key } = this.#model;
    const id = held[key.at];
    if (Object.hasOwn(row, key.name) && this.#model.idOf(row[key.name]) !== this.#model.idOf(id))
      return failure(422, `${key.name} is not that of the row that is changed`, {
        fields: { [key.name]: ['is of another row'] },
      });
    return updateRow(this.#session, this.#model, id, row, request('update', id));
  }

  #heldBy(row: Input): Slots | undefined {
    const wanted = this.#model.pad([]);
    for (const { name, at, type } of this.#columns) {
      const value = Object.hasOwn(row, name) ? FIELD_TYPES[type].of(row[name]) : undefined;
      if (value === undefined || value === null) return undefined;
      wanted[at] = value;
    }
    const id = this.#idOf(wanted);
    const slots = id === null ? undefined : findRow(this.#session.turn(), this.#model, id)?.slots;
    return slots !== undefined && this.#isHeld(slots, wanted) ? slots : undefined;
  }

  #idOf(wanted: Slots): Bytes | null {
    if (this.#index === null) return this.#model.idOf(wanted[this.#model.key.at]);
    return getEntry(this.#session.turn(), indexKey(this.#index, wanted, '')) ?? null;
  }

  #isHeld(slots: Slots, wanted: Slots): boolean {
    if (isDeleted(slots) || !admits(this.#visible, slots)) return false;
    // A key that was cut can be that of another value.
    return this.#columns.every(({ at, compare }) => compare!(slots[at], wanted[at]) === 0);
  }
}
