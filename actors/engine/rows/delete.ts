/** Deletes a row: softly where the entity has the trait, else and with `purge` physically (docs/contract/data.md §6.4). */
import { timestamp } from '#actors/kit/clock.ts';
import { admits, bothOf, grantOf, type Grant } from './access.ts';
import { DELETED_AT, DELETED_BY_AT, isDeleted, VERSION_AT, versionOf, type Slots } from './codec.ts';
import { denied, deniedByRow, isFailure, noRow, type Failure } from './failure.ts';
import type { EntityModel } from './model.ts';
import { removeWithDependents } from './references.ts';
import type { RequestView, Session } from './session.ts';
import { takeSteps, type Steps } from '#actors/kit/pace/steps.ts';
import { targetOf } from './target.ts';
import { writeRow, type Written } from './write.ts';

/** Takes all steps of `deleteSteps`: at once, or in slices when many rows depend on the row. */
export function deleteRow(
  session: Session,
  model: EntityModel,
  idValue: unknown,
  purge: boolean,
  request: RequestView,
): Written | Failure | Promise<Written | Failure> {
  return takeSteps(session, deleteSteps(session, model, idValue, purge, request));
}

/**
 * Stages a delete. 404 for a row that does not exist, is hidden, or is already soft-deleted and not to be purged; 403 when
 * `access.delete`, and for a purge also `access.purge`, does not allow it; 422 when references prevent it.
 */
export function* deleteSteps(
  session: Session,
  named: EntityModel,
  idValue: unknown,
  purge: boolean,
  request: RequestView,
): Steps<Written | Failure> {
  const view = named.seenBy(session.principal);
  const model = view.whole;
  const grant = deleteGrant(session, model, purge, request);
  if (grant === 'none') return denied(purge ? 'purge' : 'delete', model.name);
  const target = targetOf(session, model, idValue, request);
  if (isFailure(target)) return target;
  const { id, slots: before } = target;
  if (isDeleted(before) && !purge) return noRow(model.name, idValue);
  if (!admits(grant, before)) return deniedByRow(session, purge ? 'purge' : 'delete', model.name);
  const after = purge || !model.softDelete ? null : markedDeleted(session, before);
  const failed =
    after === null
      ? yield* removeWithDependents(session, model, id)
      : writeRow(session.turn(), model, id, before, after);
  return failed ?? { kind: 'written', model: view, before, after };
}

/** The rows that the caller may delete, and where they are purged may purge too. */
export function deleteGrant(session: Session, model: EntityModel, purge: boolean, request: RequestView): Grant {
  const grant = grantOf(session, model, 'delete', request);
  return purge ? bothOf(grant, grantOf(session, model, 'purge', request)) : grant;
}

function markedDeleted(session: Session, before: Slots): Slots {
  const after = before.slice();
  after[DELETED_AT] = timestamp(session.clock.now());
  after[DELETED_BY_AT] = session.principal.subject;
  after[VERSION_AT] = versionOf(before) + 1;
  return after;
}
