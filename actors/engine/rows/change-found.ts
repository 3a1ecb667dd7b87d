/**
 * Changes or deletes all rows that a filter finds, in one commit, where they are as many as the caller says (docs/contract/data.md §6.7).
 * A filter that needs more than a turn is answered over a snapshot, without holding the tenant; each row that it found is then checked
 * again in the turn that writes. So every row that is written matches when it is written, and the count is that of the snapshot.
 */
import { limits } from '#config/limits.ts';
import type { Input } from '#actors/kit/field-check.ts';
import { shown } from '#actors/kit/shown.ts';
import { takeSteps, type Steps } from '#actors/kit/pace/steps.ts';
import { admits, bothOf, grantOf, visibleTo, type Grant } from './access.ts';
import { isDeleted, type Slots, type StoredRow } from './codec.ts';
import { deleteGrant, deleteSteps } from './delete.ts';
import { denied, failure, isFailure, type Failure } from './failure.ts';
import { filterOf } from './filter.ts';
import type { EntityModel } from './model.ts';
import type { Asker } from './path/asker.ts';
import { boundTo } from './path/bind.ts';
import { mayPause, patiently } from './path/rows-test.ts';
import type { Query } from './query.ts';
import { findRows, type Found } from './read.ts';
import type { RequestView, Session } from './session.ts';
import { findRow } from './store.ts';
import { updateRow } from './update.ts';
import type { Written } from './write.ts';

export interface Change {
  readonly verb: 'update' | 'delete';
  /** How many rows the caller says there are. */
  readonly wanted: number;
  /** The new values of an update; null for a delete. */
  readonly input: Input | null;
  /** Whether a delete is physical. */
  readonly purge: boolean;
  /** What rules see as `request.method`. */
  readonly method: string;
  /** Makes the query, once the caller is known to be allowed to read. */
  readonly parse: (asker: Asker) => Query | Failure;
}

export interface Changed {
  readonly kind: 'changed';
  readonly query: Query;
  /** The rows that the filter found. */
  readonly total: number;
  /** Those of them that were not as asked already. */
  readonly affected: number;
}

/** The filter finds another number of rows; nothing was staged. */
export interface Miscount {
  readonly kind: 'miscount';
  /** How many it finds; null where these are more than the caller said. */
  readonly found: number | null;
}

type Outcome = Changed | Miscount | Failure;

/**
 * Stages the change of all rows that match, that the caller may see and that it may change; others do not count. Failures: those of a list
 * and of a write of one row, with the row's key; 422 for more rows than one commit takes. After a failure the caller drops the turn.
 * Synchronous unless there is much to do.
 */
export function changeFound(session: Session, model: EntityModel, change: Change): Outcome | Promise<Outcome> {
  const most = limits.data.filteredRowsMax;
  if (change.wanted > most) return failure(422, `at most ${most} rows in one request: filter more`, { most });
  const work = new FoundRows(session, model, change);
  const granted = work.changeable();
  if (isFailure(granted)) return granted;
  const found = findRows(session, model, work.request('read', null), () => work.query(), granted);
  return found instanceof Promise ? afterOthers(session, work, found) : work.write(found);
}

/** Behind work that holds the tenant by now. */
async function afterOthers(session: Session, work: FoundRows, found: Promise<Found | Failure>): Promise<Outcome> {
  const late = await found;
  await session.yieldTurn();
  return work.write(late);
}

class FoundRows {
  readonly #session: Session;
  readonly #model: EntityModel;
  readonly #change: Change;

  constructor(session: Session, model: EntityModel, change: Change) {
    this.#session = session;
    this.#model = model;
    this.#change = change;
  }

  request(operation: string, id: unknown): RequestView {
    const { method, input } = this.#change;
    return { method, operation, entity: this.#model.name, id, data: operation === 'read' ? null : input };
  }

  /** Which rows the caller may change; 403 where that is none. */
  changeable(): Grant | Failure {
    const { verb, purge } = this.#change;
    const request = this.request(verb, null);
    const grant =
      verb === 'delete'
        ? deleteGrant(this.#session, this.#model, purge, request)
        : grantOf(this.#session, this.#model, verb, request);
    return grant === 'none' ? denied(purge ? 'purge' : verb, this.#model.name) : grant;
  }

  /** One row more than there may be shows that there are more. */
  query(): Query | Failure {
    const query = this.#change.parse({ session: this.#session, request: this.request('read', null) });
    return isFailure(query) ? query : { ...query, limit: this.#change.wanted + 1 };
  }

  write(found: Found | Failure): Outcome | Promise<Outcome> {
    if (isFailure(found)) return found;
    const { rows, query } = found;
    const { wanted } = this.#change;
    if (rows.length !== wanted) return { kind: 'miscount', found: rows.length > wanted ? null : rows.length };
    return takeSteps(this.#session, this.#steps(query, rows));
  }

  *#steps(query: Query, rows: readonly StoredRow[]): Steps<Outcome> {
    const still = this.#stillMatches(query);
    if (isFailure(still)) return still;
    const pauses = mayPause(query);
    const keys: unknown[] = [];
    for (const { slots } of rows) {
      const key = slots[this.#model.key.at];
      const present = this.#present(key);
      if (present !== undefined && (pauses ? yield* patiently(still, present) : still(present))) keys.push(key);
      yield;
    }
    if (keys.length < rows.length) return { kind: 'miscount', found: keys.length };
    let affected = 0;
    for (const key of keys) {
      // The delete of an earlier row may have taken this one along.
      const written = this.#isGone(key) ? null : yield* this.#writeOne(key);
      if (isFailure(written)) return inRow(written, key);
      if (written === null || written.before !== written.after) affected++;
      yield;
    }
    return { kind: 'changed', query, total: keys.length, affected };
  }

  /** The turn may be a later one than that of the search. */
  #stillMatches(query: Query): ((slots: Slots) => boolean) | Failure {
    const changeable = this.changeable();
    if (isFailure(changeable)) return changeable;
    const request = this.request('read', null);
    const grant = bothOf(visibleTo(this.#session, this.#model, request), changeable);
    const asker = { session: this.#session, request };
    const filter = filterOf(this.#model, boundTo(this.#session.turn(), asker, this.#model, query, query.deleted));
    return (slots) => filter(slots) && admits(grant, slots);
  }

  #present(key: unknown): Slots | undefined {
    return findRow(this.#session.turn(), this.#model, this.#model.idOf(key)!)?.slots;
  }

  #isGone(key: unknown): boolean {
    if (this.#change.verb === 'update') return false;
    const slots = this.#present(key);
    return slots === undefined || isDeleted(slots);
  }

  *#writeOne(key: unknown): Steps<Written | Failure> {
    const { verb, input, purge } = this.#change;
    const request = this.request(verb, key);
    if (verb === 'update') return updateRow(this.#session, this.#model, key, input!, request);
    return yield* deleteSteps(this.#session, this.#model, key, purge, request);
  }
}

function inRow({ status, message, details }: Failure, key: unknown): Failure {
  return failure(status, `row ${shown(key)}: ${message}`, { ...details, id: shown(key) });
}
