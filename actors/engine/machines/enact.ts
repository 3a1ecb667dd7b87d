/**
 * The scripts of a move: the exit of the state that is left, the actions of the event, the entry of the state that is reached, in
 * this order and in one machine. They see the changed row and may change it further, and change other rows through the host. All that
 * they do is committed with the write that moves the row, or not at all.
 */
import { isDeepStrictEqual } from 'node:util';
import type { FieldFault } from '#actors/kit/field-check.ts';
import { shown } from '#actors/kit/shown.ts';
import { rowsOf } from '../rows/access.ts';
import { changed } from '../rows/change.ts';
import type { Slots } from '../rows/codec.ts';
import { everyFault } from '../rows/every-fault.ts';
import { denied, failure, invalid, isFailure, type Failure } from '../rows/failure.ts';
import type { Bytes } from '../rows/keys/store.ts';
import type { EntityModel } from '../rows/model.ts';
import { checkTargets } from '../rows/references.ts';
import { getSlots } from '../rows/store.ts';
import { movesOf, type Move, type Mover } from './move.ts';

/**
 * Runs the scripts of all moves and gives the row as they leave it; the guards have passed then. 422 when a move is forbidden, when a
 * script fails, or when the row it leaves is not valid; 403 when a rule denies the caller that row.
 */
export function enact(
  model: EntityModel,
  id: Bytes,
  before: Slots | null,
  after: Slots,
  mover: Mover,
): Slots | Failure {
  const moves = movesOf(model, before, after, mover);
  if (isFailure(moves)) return moves;
  let row = after;
  let ran = false;
  for (const move of moves) {
    const source = sourceOf(move, after);
    if (source === null) continue;
    const left = runMove(model, move, source, before, row, mover);
    if (isFailure(left)) return left;
    row = left;
    ran = true;
  }
  return ran ? settled(model, id, before, row, after, mover) : after;
}

/** Checks again what the scripts may have changed: the row itself, the rules about it, and other rows. */
function settled(
  model: EntityModel,
  id: Bytes,
  before: Slots | null,
  row: Slots,
  after: Slots,
  { session, request }: Mover,
): Slots | Failure {
  const turn = session.turn();
  if (!isDeepStrictEqual(getSlots(turn, model, id) ?? null, before))
    return failure(422, `a script of ${model.name} changed the row that is being written; it may change \`row\` only`);
  const rows = row === after ? null : rowsOf(session, model, request);
  if (rows !== null && !rows(row)) return denied(request.operation, model.name);
  const faults: FieldFault[] = [];
  checkTargets(turn, model, before, row, faults);
  return faults.length > 0 ? everyFault(turn, model, id, before, row, faults) : row;
}

/** The scripts of a move as one script; null where it has none. */
function sourceOf({ machine, from, event }: Move, after: Slots): string | null {
  const exit = machine.scripts.get(from)?.exit;
  const entry = machine.scripts.get(after[machine.at])?.entry;
  const parts = [exit, event?.actions, entry].filter((part) => part !== null && part !== undefined);
  if (parts.length === 0) return null;
  const calls = parts.map((part) => `await (async function () {${part}\n})();`);
  return `const { before, event, from, to, stateflow, principal } = request; const row = JSON.parse(JSON.stringify(request.row)); ${calls.join('\n')} return row;`;
}

function runMove(
  model: EntityModel,
  move: Move,
  source: string,
  before: Slots | null,
  after: Slots,
  { session, request }: Mover,
): Slots | Failure {
  const { machine, from, event } = move;
  if (session.scripts === undefined)
    return failure(422, `the change runs scripts of ${machine.name}, for which this kind of write cannot wait`, {
      stateflow: machine.name,
    });
  const seen = model.json(after);
  const { type, subject, roles, scope, superadmin } = session.principal;
  const view = {
    stateflow: machine.name,
    event: event?.name ?? null,
    from: from ?? null,
    to: after[machine.at],
    operation: request.operation,
    principal: { type, subject, roles, scope, superadmin },
    before: before === null ? null : (JSON.parse(model.json(before)) as unknown),
    row: JSON.parse(seen) as unknown,
  };
  const name = `${machine.name}${event === null ? '' : `.${event.name}`}.js`;
  const result = session.scripts.run({
    source,
    name,
    request: JSON.stringify(view),
    ...(machine.runAs !== undefined && { runAs: machine.runAs }),
  });
  const details = { stateflow: machine.name, ...(event !== null && { event: event.name }) };
  if (result.kind === 'failed') return failure(422, failedText(machine.name, result.message), details);
  return withChanges(model, move, after, JSON.parse(seen) as Row, JSON.parse(result.text) as unknown, details);
}

/** The message of a failed script. Where one script caused another, the innermost message is kept. */
function failedText(name: string, message: string): string {
  const inner = message.replace(/^Error: (?=the script of )/, '');
  return inner === message ? `the script of ${name} failed: ${shown(message)}` : shown(inner);
}

type Row = Readonly<Record<string, unknown>>;

/** The row with the values that the script set; fields that it removed are null. */
function withChanges(
  model: EntityModel,
  { machine }: Move,
  after: Slots,
  seen: Row,
  left: unknown,
  details: Row,
): Slots | Failure {
  if (typeof left !== 'object' || left === null || Array.isArray(left))
    return failure(422, `the script of ${machine.name} left no row`, details);
  const row = left as Row;
  const names = new Set([...Object.keys(seen), ...Object.keys(row)]);
  const changes: Record<string, unknown> = {};
  for (const name of names) if (!isDeepStrictEqual(row[name], seen[name])) changes[name] = row[name] ?? null;
  for (const name of [model.key.name, ...model.machines.map(({ field }) => field)])
    if (Object.hasOwn(changes, name))
      return failure(422, `the script of ${machine.name} may not set ${name}`, { ...details, field: name });
  const faults: FieldFault[] = [];
  const slots = changed(model, after, changes, faults);
  return faults.length > 0 ? invalid(faults) : (slots ?? after);
}
