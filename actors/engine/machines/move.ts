/**
 * Enforces machines on the fields that they govern (docs/contract/data-behaviour.md §1.4). It is called where rows are staged, so no write
 * bypasses it. An unchanged value is no transition; a row without a state of the machine, such as a new one, may enter at any declared
 * state; every other value must be the target of an event whose guard passes.
 */
import { shown } from '#actors/kit/shown.ts';
import type { Slots } from '../rows/codec.ts';
import { failure, isFailure, type Failure } from '../rows/failure.ts';
import type { EntityModel } from '../rows/model.ts';
import { scopeOf, type RequestView, type Session } from '../rows/session.ts';
import type { Machine, StateEvent } from './machine.ts';

/** The caller and request of a change, as guards see them. */
export interface Mover {
  readonly session: Session;
  readonly request: RequestView;
  /** The guards have passed already, before scripts changed the row. */
  readonly isJudged?: boolean;
}

/** A change of state in a field that a machine governs; `event` is null where the row had no state. */
export interface Move {
  readonly machine: Machine;
  readonly from: unknown;
  readonly event: StateEvent | null;
}

/**
 * Null when every machine allows the change. 422 with `details.allowed`, the values that may be written now; 500 when the deciding
 * guard fails. Guards see the changed `row`. A write that sets no fields has no mover.
 */
export function refuseMove(
  model: EntityModel,
  before: Slots | null,
  after: Slots | null,
  mover: Mover | null,
): Failure | null {
  if (after === null || mover?.isJudged === true) return null;
  const moves = movesOf(model, before, after, mover);
  return isFailure(moves) ? moves : null;
}

/** The moves of a change, once every guard has passed; else the failure that `refuseMove` gives. */
export function movesOf(
  model: EntityModel,
  before: Slots | null,
  after: Slots,
  mover: Mover | null,
): readonly Move[] | Failure {
  const moves: Move[] = [];
  for (const machine of model.machines) {
    const from = before === null ? null : before[machine.at];
    if (before !== null && from === after[machine.at]) continue;
    const event = eventOf(model, machine, from, after, mover);
    if (isFailure(event)) return event;
    moves.push({ machine, from, event });
  }
  return moves;
}

/** The event that is fired; null where the row had no state. */
function eventOf(
  model: EntityModel,
  machine: Machine,
  from: unknown,
  after: Slots,
  mover: Mover | null,
): StateEvent | Failure | null {
  const to = after[machine.at];
  const events = machine.events.get(from);
  if (events === undefined) return machine.events.has(to) ? null : undeclared(machine, to);
  if (mover === null)
    throw new Error(`${model.name}.${machine.field} changes its state in a write that sets no fields`);
  let broken: Failure | null = null;
  for (const event of events) {
    if (event.target !== to) continue;
    const verdict = judge(model, event, after, mover);
    if (verdict === true) return event;
    if (verdict !== false) broken ??= brokenGuard(machine, event, verdict);
  }
  return broken ?? forbidden(model, machine, events, from, after, mover);
}

/** The guard's answer for the changed row, or the error of a guard that fails. */
export function judge(model: EntityModel, { guard }: StateEvent, after: Slots, mover: Mover): boolean | Error {
  if (guard === null) return true;
  const scope = scopeOf(mover.session, mover.request);
  scope.row = model.shape(after);
  try {
    return guard(scope);
  } catch (error) {
    return error as Error;
  }
}

function undeclared({ name, field, events }: Machine, to: unknown): Failure {
  const allowed = [...events.keys()];
  const reason = `${quoted(to)} is no state of ${name}; there are ${allowed.join(', ')}`;
  return failure(422, `${field}: ${reason}`, { stateflow: name, field, allowed, fields: { [field]: [reason] } });
}

function forbidden(
  model: EntityModel,
  { name, field, at }: Machine,
  events: readonly StateEvent[],
  from: unknown,
  after: Slots,
  mover: Mover,
): Failure {
  const open = events.filter((event) => judge(model, event, withState(after, at, event.target), mover) === true);
  const allowed = [...new Set(open.map(({ target }) => target))];
  const choice = allowed.length === 0 ? 'nothing is allowed now' : `allowed now: ${allowed.join(', ')}`;
  const reason = `cannot go from ${quoted(from)} to ${quoted(after[at])}; ${choice}`;
  const details = { stateflow: name, field, current: from, allowed, fields: { [field]: [reason] } };
  return failure(422, `${field} ${reason}`, details);
}

function brokenGuard({ name, field }: Machine, event: StateEvent, error: Error): Failure {
  const message = `the guard of ${name}.${event.name} failed: ${shown(error.message)}`;
  return failure(500, message, { stateflow: name, field, event: event.name });
}

/** A copy of the row with another state: other readers hold the original slots. */
export function withState(slots: Slots, at: number, state: string): Slots {
  const other = slots.slice();
  other[at] = state;
  return other;
}

function quoted(value: unknown): string {
  return typeof value === 'string' ? `"${shown(value)}"` : 'nothing';
}
