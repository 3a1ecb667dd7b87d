/** Undoes a soft delete (docs/contract/data.md §6.5). */
import { admits, grantOf } from './access.ts';
import { DELETED_AT, DELETED_BY_AT, isDeleted, VERSION_AT, versionOf, type Slots } from './codec.ts';
import { denied, deniedByRow, failure, isFailure, type Failure } from './failure.ts';
import type { EntityModel } from './model.ts';
import type { RequestView, Session } from './session.ts';
import { targetOf } from './target.ts';
import { writeRow, type Written } from './write.ts';

/**
 * Stages the return of a soft-deleted row. 403 when `access.restore` does not allow it, 404 for a row that does not exist or is hidden,
 * 422 for a live row and for an entity without the trait. Its unique values and its targets were reserved for it.
 */
export function restoreRow(
  session: Session,
  named: EntityModel,
  idValue: unknown,
  request: RequestView,
): Written | Failure {
  const view = named.seenBy(session.principal);
  const model = view.whole;
  const grant = grantOf(session, model, 'restore', request);
  if (grant === 'none') return denied('restore', model.name);
  if (!model.softDelete) return failure(422, `rows of ${model.name} are not deleted softly`);
  const target = targetOf(session, model, idValue, request);
  if (isFailure(target)) return target;
  const before = target.slots;
  if (!admits(grant, before)) return deniedByRow(session, 'restore', model.name);
  if (!isDeleted(before)) return failure(422, 'the row is not deleted', { deleted: false });
  const after = live(before);
  if (target.rows !== null && !target.rows(after)) return deniedByRow(session, 'restore', model.name, true);
  return writeRow(session.turn(), model, target.id, before, after) ?? { kind: 'written', model: view, before, after };
}

function live(before: Slots): Slots {
  const after = before.slice();
  after[DELETED_AT] = null;
  after[DELETED_BY_AT] = null;
  after[VERSION_AT] = versionOf(before) + 1;
  return after;
}
