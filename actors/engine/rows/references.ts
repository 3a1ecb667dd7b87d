/** Referential integrity: targets exist when a reference is written, and a delete of the target follows `on_delete`. */
import { limits } from '#config/limits.ts';
import type { FieldFault } from '#actors/kit/field-check.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { Refused } from '#actors/kit/refused.ts';
import { isDeleted, UPDATED_AT, VERSION_AT, versionOf, type Slots } from './codec.ts';
import { damagedDependent, failure, thrownFailure, type Failure } from './failure.ts';
import { indexRange, type Bytes, type KeyRange } from './keys/store.ts';
import type { EntityModel, Reference } from './model.ts';
import type { Session } from './session.ts';
import type { Steps } from '#actors/kit/pace/steps.ts';
import { damagedBytes, entryPage, findRow, getSlots, type Turn } from './store.ts';
import { dropVersions } from './versions/store.ts';
import { writeRow } from './write.ts';

/**
 * Adds a fault for every reference that was set or changed and whose target does not exist; a soft-deleted target counts as absent.
 * A field that already has a fault is not checked.
 */
export function checkTargets(
  turn: Turn,
  model: EntityModel,
  before: Slots | null,
  after: Slots,
  faults: FieldFault[],
): void {
  for (const { column, to } of model.references) {
    const value = after[column.at];
    if (value === null || value === undefined || (before !== null && before[column.at] === value)) continue;
    if (faults.some(({ field }) => field === column.name)) continue;
    const id = to.idOf(value);
    const isSelf = to === model && value === after[model.key.at];
    // A target that cannot be read counts as absent, too.
    const target = id === null || isSelf ? undefined : findRow(turn, to, id)?.slots;
    if (isSelf || (target !== undefined && !isDeleted(target))) continue;
    faults.push({ field: column.name, code: 'reference', message: `refers to no row of ${to.name}` });
  }
}

export interface Target {
  readonly model: EntityModel;
  readonly id: Bytes;
  readonly slots: Slots;
}

/**
 * Removes a row physically and applies `on_delete` to its dependents: cascade removes them, setnull clears their reference, restrict
 * refuses at once, noaction (the default) refuses when a row still refers to it at the end. Access rules of the dependents do not apply:
 * integrity belongs to the schema. 422 when refused, or when more rows change than one delete may; the caller then drops the turn.
 */
export function removeWithDependents(session: Session, model: EntityModel, id: Bytes): Steps<Failure | null> {
  return naming(new Removal(session).run(model, id));
}

/**
 * The same for a row that cannot be read and of which only the key is known: `takeOut` stages its removal. Dependents are found by
 * the key.
 */
export function removeUnread(session: Session, target: Target, takeOut: () => Steps<void>): Steps<Failure | null> {
  return naming(new Removal(session).runUnread(target, takeOut));
}

function* naming(steps: Steps<Failure | null>): Steps<Failure | null> {
  try {
    return yield* steps;
  } catch (error) {
    const thrown = thrownFailure(error);
    if (thrown === null) throw error;
    return thrown;
  }
}

/** A work list, not a recursion: chains of references may be as long as the bound. */
class Removal {
  readonly #turn: Turn;
  readonly #now: string;
  readonly #doomed: { readonly model: EntityModel; readonly id: Bytes }[] = [];
  readonly #unsettled: { readonly reference: Reference; readonly target: Target }[] = [];
  #touched = 0;

  constructor(session: Session) {
    this.#turn = session.turn();
    this.#now = timestamp(session.clock.now());
  }

  run(model: EntityModel, id: Bytes): Steps<Failure | null> {
    this.#doomed.push({ model, id });
    return this.#rest();
  }

  *runUnread(target: Target, takeOut: () => Steps<void>): Steps<Failure | null> {
    const held = yield* this.#restricted(target);
    if (held !== null) return held;
    yield* takeOut();
    return (yield* this.#followAll(target)) ?? (yield* this.#rest());
  }

  *#rest(): Steps<Failure | null> {
    for (let next = this.#doomed.pop(); next !== undefined; next = this.#doomed.pop()) {
      // Read again: an earlier step may have changed or removed it since it was found.
      const slots = getSlots(this.#turn, next.model, next.id);
      if (slots === undefined) continue;
      const failed = yield* this.#remove({ ...next, slots: slots });
      if (failed !== null) return failed;
      yield;
    }
    for (const { reference, target } of this.#unsettled) {
      if (yield* isReferred(this.#turn, reference, target)) return stillReferred(reference);
    }
    return null;
  }

  *#remove(target: Target): Steps<Failure | null> {
    const { model, id, slots } = target;
    const held = yield* this.#restricted(target);
    if (held !== null) return held;
    const failed = writeRow(this.#turn, model, id, slots, null);
    if (failed !== null) return failed;
    if (model.versioned) yield* forgetVersions(this.#turn, target);
    return yield* this.#followAll(target);
  }

  *#restricted(target: Target): Steps<Failure | null> {
    for (const reference of target.model.referencedBy) {
      if (reference.onDelete === 'restrict' && (yield* isReferred(this.#turn, reference, target)))
        return stillReferred(reference);
    }
    return null;
  }

  *#followAll(target: Target): Steps<Failure | null> {
    for (const reference of target.model.referencedBy) {
      const refused = yield* this.#follow(reference, target);
      if (refused !== null) return refused;
    }
    return null;
  }

  *#follow(reference: Reference, target: Target): Steps<Failure | null> {
    if (reference.onDelete === 'restrict') return null;
    if (reference.onDelete === 'noaction') {
      this.#unsettled.push({ reference, target });
      return null;
    }
    for (const page of dependentPages(this.#turn, reference, target)) {
      this.#touched += page.length;
      if (this.#touched > limits.data.cascadeRowsMax) return tooManyDependents();
      for (const dependent of page) {
        const refused = this.#touch(reference, dependent);
        if (refused !== null) return refused;
        if (reference.onDelete === 'setnull') yield;
      }
      yield;
    }
    return null;
  }

  #touch(reference: Reference, dependent: Target): Failure | null {
    if (reference.onDelete !== 'cascade') return clearReference(this.#turn, reference, dependent, this.#now);
    this.#doomed.push({ model: dependent.model, id: dependent.id });
    return null;
  }
}

export function* forgetVersions(turn: Turn, { model, slots }: Target): Steps<void> {
  while (dropVersions(turn, model, slots, limits.data.referencePageRows)) yield;
}

/** Rows that refer to the given one, except itself, page by page. A range of the index may also hold other rows, so each row is checked. */
function* dependentPages(turn: Turn, reference: Reference, target: Target): Generator<Target[], void, void> {
  if (reference.index === null) return;
  const most = limits.data.referencePageRows;
  const value = target.slots[target.model.key.at];
  let range: KeyRange | null = indexRange(reference.index, [value]);
  while (range !== null) {
    // No LMDB cursor stays open between pages: turns of other tenants can run there.
    const entries = entryPage(turn, range, most);
    range = entries.length < most ? null : { from: `${entries[most - 1]!.key}\0`, to: range.to };
    yield entries.flatMap(({ id }) => dependentOf(turn, reference, target, id) ?? []);
  }
}

function dependentOf(turn: Turn, reference: Reference, target: Target, id: Bytes): Target | null {
  const model = reference.from;
  const slots = findRow(turn, model, id)?.slots;
  if (slots === undefined && damagedBytes(turn, model, id) !== undefined)
    throw new Refused(damagedDependent(model.name));
  if (slots === undefined || (model === target.model && id === target.id)) return null;
  return slots[reference.column.at] === target.slots[target.model.key.at] ? { model, id, slots } : null;
}

function* isReferred(turn: Turn, reference: Reference, target: Target): Steps<boolean> {
  for (const page of dependentPages(turn, reference, target)) {
    if (page.length > 0) return true;
    yield;
  }
  return false;
}

function clearReference(turn: Turn, { column, from }: Reference, row: Target, now: string): Failure | null {
  if (!column.nullable) return failure(422, `${from.name}.${column.name} may not be null`, { entity: from.name });
  const after = row.slots.slice();
  after[column.at] = null;
  after[VERSION_AT] = versionOf(row.slots) + 1;
  if (from.timestamps) after[UPDATED_AT] = now;
  return writeRow(turn, from, row.id, row.slots, after);
}

function stillReferred({ from, column }: Reference): Failure {
  const details = { entity: from.name, field: column.name };
  return failure(422, `rows of ${from.name} still refer to it by ${column.name}`, details);
}

function tooManyDependents(): Failure {
  return failure(422, `more than ${limits.data.cascadeRowsMax} rows depend on it`);
}
