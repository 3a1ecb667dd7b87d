/** Creates a row (docs/contract/data.md §6.1). */
import { inFuel, isFuelled } from '#actors/kit/pace/fuel.ts';
import { timestamp } from '#actors/kit/clock.ts';
import type { FieldFault, Input } from '#actors/kit/field-check.ts';
import { admits, grantOf, rowsOf } from './access.ts';
import type { Slots } from './codec.ts';
import { everyFault } from './every-fault.ts';
import { withDefaultsFrom } from './default-from.ts';
import { denied, deniedByRow, invalid, isFailure, type Failure } from './failure.ts';
import { checkNames } from './input.ts';
import type { EntityModel } from './model.ts';
import { newId } from './new-id.ts';
import { checkTargets } from './references.ts';
import { linksIn } from './links/asked.ts';
import { checkLinked, linksOfNew, writeLinks } from './links/write.ts';
import type { RequestView, Session } from './session.ts';
import { enact } from '../machines/enact.ts';
import { withShared } from './shared-fields.ts';
import { hasRow, type Turn } from './store.ts';
import { writeRow, type Written } from './write.ts';

/**
 * Stages a new row. 403 when no rule allows it (one that reads `row` sees the new row), 422 with every fault of the input. Throws
 * OutOfFuel where its patterns and rules cost more than one stretch of work may.
 */
export function createRow(session: Session, model: EntityModel, given: Input, request: RequestView): Written | Failure {
  // A call that has waited has lost the fuel of its turn.
  return isFuelled() ? created(session, model, given, request) : inFuel(() => created(session, model, given, request));
}

function created(session: Session, entity: EntityModel, given: Input, request: RequestView): Written | Failure {
  const view = entity.seenBy(session.principal);
  const model = view.whole;
  const grant = grantOf(session, model, 'create', request);
  if (grant === 'none') return denied('create', model.name);
  const faults: FieldFault[] = [];
  const asked = model.links.size === 0 ? null : linksIn(session, view, given, faults);
  const named = asked === null ? given : asked.fields;
  checkNames(view, named, null, faults);
  const known = view.sight === null ? named : withoutStrangers(view, named);
  const shared = model.shared === null ? known : withShared(session.turn(), model, known);
  const input = withDefaultsFrom(session, model, shared);
  const after = newSlots(session, model, input, faults);
  const rows = rowsOf(session, model, request);
  const turn = session.turn();
  // A rule cannot be evaluated on a faulty row. If a rule might deny the caller, only faults of the input itself are reported: the others tell what other rows hold.
  if (faults.length > 0)
    return grant === 'all' && rows === null ? allFaults(turn, model, input, after, faults) : invalid(faults);
  if (!admits(grant, after)) return deniedByRow(session, 'create', model.name);
  if (rows !== null && !rows(after)) return deniedByRow(session, 'create', model.name, true);
  const id = model.idIn(after);
  // An id that the service makes is always new; one that the caller chose may be taken.
  if (isGiven(model, input) && hasRow(turn, model, id)) return allFaults(turn, model, input, after, faults);
  checkTargets(turn, model, null, after, faults);
  const links = asked === null ? null : linksOfNew(session, after, asked.links, request);
  if (links !== null) checkLinked(turn, links, faults);
  if (faults.length > 0) return allFaults(turn, model, input, after, faults);
  const moved = model.isScripted ? enact(model, id, null, after, { session, request }) : after;
  if (isFailure(moved)) return moved;
  const mover = { session, request, isJudged: model.isScripted };
  const failed = writeRow(turn, model, id, null, moved, mover) ?? (links && writeLinks(session, moved, links));
  return failed ?? { kind: 'written', model: view, before: null, after: moved };
}

/** The known faults, and those that depend on other rows, such as a key that is taken. */
function allFaults(turn: Turn, model: EntityModel, input: Input, after: Slots, faults: FieldFault[]): Failure {
  const key = model.key.name;
  const id = faults.some(({ field }) => field === key) ? null : model.idIn(after);
  if (id !== null && isGiven(model, input) && hasRow(turn, model, id))
    faults.push({ field: key, code: 'unique', message: 'is taken by another row' });
  return everyFault(turn, model, id ?? '', null, after, faults);
}

/** The input without what its caller may not set, which is a fault already: no other fault is to tell of these fields. */
function withoutStrangers({ check }: EntityModel, given: Input): Input {
  const strangers = new Set(check.strangers(given));
  return Object.fromEntries(Object.entries(given).filter(([name]) => !strangers.has(name)));
}

function isGiven(model: EntityModel, input: Input): boolean {
  return Object.hasOwn(input, model.key.name);
}

function newSlots(session: Session, model: EntityModel, input: Input, faults: FieldFault[]): Slots {
  const key = model.key.name;
  const given = isGiven(model, input) ? undefined : newId(session, model);
  const values = model.check.complete(given === undefined ? input : { ...input, [key]: given }, faults);
  const now = model.timestamps ? timestamp(session.clock.now()) : null;
  const slots = model.pad([1, now, now, null, null]);
  for (let i = 0; i < values.length; i++) slots[model.places[i]!] = values[i];
  return slots;
}
