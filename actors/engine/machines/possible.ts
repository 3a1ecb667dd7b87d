/** The states of a row, with the events that the caller may fire now (docs/contract/data.md §2.1 `states`). */
import { admits, grantOf, rowsOf } from '../rows/access.ts';
import { isDeleted, type Slots } from '../rows/codec.ts';
import type { EntityModel } from '../rows/model.ts';
import type { Session } from '../rows/session.ts';
import type { Machine, StateEvent } from './machine.ts';
import { judge, withState } from './move.ts';

export interface StateView {
  readonly field: string;
  readonly current: unknown;
  /** Names of the events that a PATCH of nothing but the field would fire, for this caller, now. */
  readonly events: readonly string[];
}

/** One object keyed by stateflow name; empty for an entity without machines. */
export function statesOf(session: Session, model: EntityModel, slots: Slots): Readonly<Record<string, StateView>> {
  const entries = model.machines.map((machine): [string, StateView] => {
    const current = slots[machine.at];
    const events = isDeleted(slots) ? [] : (machine.events.get(current) ?? []);
    const open = events.filter((event) => isOpen(session, model, machine, event, slots));
    return [machine.name, { field: machine.field, current, events: open.map(({ name }) => name) }];
  });
  return Object.fromEntries(entries);
}

function isOpen(session: Session, model: EntityModel, machine: Machine, event: StateEvent, slots: Slots): boolean {
  const request = {
    method: 'PATCH',
    operation: 'update',
    entity: model.name,
    id: slots[model.key.at],
    data: { [machine.field]: event.target },
  };
  if (!admits(grantOf(session, model, 'update', request), slots)) return false;
  const after = withState(slots, machine.at, event.target);
  const rows = rowsOf(session, model, request);
  if (rows !== null && !rows(after)) return false;
  return judge(model, event, after, { session, request }) === true;
}
