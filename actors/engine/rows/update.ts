/** Changes fields of a row; PUT and PATCH are the same partial update (docs/contract/data.md §6.3). */
import { inFuel, isFuelled } from '#actors/kit/pace/fuel.ts';
import { timestamp } from '#actors/kit/clock.ts';
import type { FieldFault, Input } from '#actors/kit/field-check.ts';
import { admits, grantOf } from './access.ts';
import { changed } from './change.ts';
import { isDeleted, UPDATED_AT, VERSION_AT, versionOf, type Slots } from './codec.ts';
import { everyFault } from './every-fault.ts';
import { denied, deniedByRow, invalid, isFailure, noRow, type Failure } from './failure.ts';
import type { EntityModel } from './model.ts';
import { checkTargets } from './references.ts';
import { linksIn } from './links/asked.ts';
import { checkLinked, linkChanges, writeLinks } from './links/write.ts';
import type { RequestView, Session } from './session.ts';
import { enact } from '../machines/enact.ts';
import { targetOf } from './target.ts';
import { writeRow, type Written } from './write.ts';

/**
 * Stages new values of the given fields. 404 for a row that does not exist or is hidden; 403 when no rule allows the update of the
 * present row, or the row rule does not admit the changed one; 422 with every fault. An update that changes no value stages nothing.
 * Throws OutOfFuel where its patterns and rules cost more than one stretch of work may.
 */
export function updateRow(
  session: Session,
  model: EntityModel,
  idValue: unknown,
  input: Input,
  request: RequestView,
): Written | Failure {
  // A call that has waited has lost the fuel of its turn.
  if (!isFuelled()) return inFuel(() => updated(session, model, idValue, input, request));
  return updated(session, model, idValue, input, request);
}

function updated(
  session: Session,
  named: EntityModel,
  idValue: unknown,
  input: Input,
  request: RequestView,
): Written | Failure {
  const view = named.seenBy(session.principal);
  const model = view.whole;
  const grant = grantOf(session, model, 'update', request);
  if (grant === 'none') return denied('update', model.name);
  const target = targetOf(session, model, idValue, request);
  if (isFailure(target)) return target;
  const { id, rows, slots: before } = target;
  if (isDeleted(before)) return noRow(model.name, idValue);
  if (!admits(grant, before)) return deniedByRow(session, 'update', model.name);
  const faults: FieldFault[] = [];
  const asked = model.links.size === 0 ? null : linksIn(session, view, input, faults);
  const fields = changed(view, before, asked === null ? input : asked.fields, faults);
  const links = asked === null ? null : linkChanges(session, view, before, asked.links, request);
  const after = fields ?? (links?.isChange === true ? before.slice() : null);
  // As in a create: if a rule might deny the caller, faults that tell what other rows hold are not reported.
  const turn = session.turn();
  if (faults.length > 0 && (rows !== null || after === null)) return invalid(faults);
  if (faults.length > 0) return everyFault(turn, model, id, before, after!, faults);
  if (after === null) return { kind: 'written', model: view, before, after: before };
  stamp(session, model, after);
  if (rows !== null && !rows(after)) return deniedByRow(session, 'update', model.name, true);
  checkTargets(turn, model, before, after, faults);
  if (links !== null) checkLinked(turn, links, faults);
  if (faults.length > 0) return everyFault(turn, model, id, before, after, faults);
  const moved = model.isScripted ? enact(model, id, before, after, { session, request }) : after;
  if (isFailure(moved)) return moved;
  const mover = { session, request, isJudged: model.isScripted };
  const failed = writeRow(turn, model, id, before, moved, mover) ?? (links && writeLinks(session, moved, links));
  return failed ?? { kind: 'written', model: view, before, after: moved };
}

function stamp(session: Session, model: EntityModel, after: Slots): void {
  after[VERSION_AT] = versionOf(after) + 1;
  if (model.timestamps) after[UPDATED_AT] = timestamp(session.clock.now());
}
