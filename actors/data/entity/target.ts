/** The row that a write is about. */
import { rowsOf } from './access.ts';
import type { Slots } from './codec.ts';
import { noRow } from './failure.ts';
import type { Failure } from './failure.ts';
import type { Admits } from './filter.ts';
import type { Bytes } from './keys/store.ts';
import type { EntityModel } from './model.ts';
import type { RequestView, Session } from './session.ts';
import { getSlots } from './store.ts';

export interface Target {
  readonly kind: 'target';
  readonly id: Bytes;
  readonly slots: Slots;
  /** What `row_rule` admits, for the row as it will be; null when it admits all. */
  readonly rows: Admits | null;
}

/** The row under an id, deleted or not; 404 where there is none, or none that the caller's row rule lets him see. */
export function targetOf(
  session: Session,
  model: EntityModel,
  idValue: unknown,
  request: RequestView,
): Target | Failure {
  const rows = rowsOf(session, model, request);
  const id = model.idOf(idValue);
  const slots = id === null ? undefined : getSlots(session.turn(), model, id);
  if (id === null || slots === undefined || (rows !== null && !rows(slots))) return noRow(model.name, idValue);
  return { kind: 'target', id, slots, rows };
}
