/** DELETE of a row that cannot be read: it is taken out of the way, and its bytes are kept unless it is purged. */
import { timestamp } from '#actors/kit/clock.ts';
import { FIELD_TYPES } from '#config/values/field-types.ts';
import { grantOf } from '../access.ts';
import { damagedRow, type Failure } from '../failure.ts';
import type { EntityModel } from '../model.ts';
import { recordSetAside } from '../record-change.ts';
import { removeUnread } from '../references.ts';
import type { RequestView, Session } from '../session.ts';
import { takeSteps, type Steps } from '#actors/kit/pace/steps.ts';
import { takeOut } from './store.ts';

/**
 * Stages the removal of a row whose delete was refused with damagedRow(). The caller must be allowed to delete every row: a rule that reads
 * the row denies, since the row cannot be read. 422 when references prevent it. Null when the removal is staged.
 */
export function setAsideRow(
  session: Session,
  model: EntityModel,
  idValue: unknown,
  purge: boolean,
  request: RequestView,
): Failure | null | Promise<Failure | null> {
  const operations = purge ? (['delete', 'purge'] as const) : (['delete'] as const);
  const mayAll = operations.every((operation) => grantOf(session, model, operation, request) === 'all');
  const id = model.idOf(idValue);
  if (!mayAll || id === null) return damagedRow(model.name, idValue);
  return takeSteps(session, steps(session, model, id, idValue, purge));
}

function* steps(
  session: Session,
  model: EntityModel,
  id: string,
  idValue: unknown,
  purge: boolean,
): Steps<Failure | null> {
  const key = FIELD_TYPES[model.key.type].of(idValue);
  // Only the key of the row is known.
  const slots = model.pad([]).fill(null);
  slots[model.key.at] = key;
  const turn = session.turn();
  const kept = purge ? null : { at: timestamp(session.clock.now()), by: session.principal.subject };
  const failed = yield* removeUnread(session, { model, id, slots }, () => takeOut(turn, { model, id, slots }, kept));
  if (failed !== null) return failed;
  recordSetAside(turn, model, key);
  model.unread?.gone(model.name, id);
  return null;
}
