/** The row that a write changes. */
import { reportHidden, rowsOf } from './access.ts';
import type { Slots } from './codec.ts';
import { damagedRow, noRow, type Failure } from './failure.ts';
import type { Admits } from './filter.ts';
import type { Bytes } from './keys/store.ts';
import type { EntityModel } from './model.ts';
import type { RequestView, Session } from './session.ts';
import { damagedBytes, findRow } from './store.ts';

export interface Target {
  readonly kind: 'target';
  readonly id: Bytes;
  readonly slots: Slots;
  /** The row rule, to be asked again about the changed row; null when it admits all rows. */
  readonly rows: Admits | null;
}

/**
 * The row under an id, deleted or not; 404 where there is none, or where the row rule does not admit it. 500 for a row that cannot be
 * read, where no row rule could hide it.
 */
export function targetOf(
  session: Session,
  model: EntityModel,
  idValue: unknown,
  request: RequestView,
): Target | Failure {
  const rows = rowsOf(session, model, request);
  const id = model.idOf(idValue);
  const slots = id === null ? undefined : findRow(session.turn(), model, id)?.slots;
  if (id === null || slots === undefined || (rows !== null && !rows(slots))) {
    if (slots !== undefined) reportHidden(session, model, request);
    const isThere = id !== null && slots === undefined && rows === null;
    return isThere && isDamagedRow(session, model, id) ? damagedRow(model.name, idValue) : noRow(model.name, idValue);
  }
  return { kind: 'target', id, slots, rows };
}

/** Whether the row under the id exists and cannot be read. Call it only where no row was found. */
export function isDamagedRow(session: Session, model: EntityModel, id: Bytes): boolean {
  return damagedBytes(session.turn(), model, id) !== undefined;
}
