/**
 * The rows that references lead to, for rules (docs/contract/data-definitions.md §2.1). They are read by their keys, without the rules
 * of their own entity: a rule is its owner's definition, and nothing of what it reads is shown.
 */
import { burn, OutOfFuel } from '#actors/kit/pace/fuel.ts';
import type { Follow } from '#actors/kit/rule-scope.ts';
import { limits } from '#config/limits.ts';
import { isDeleted, type Row, type Slots } from './codec.ts';
import type { EntityModel, Reference } from './model.ts';
import { SchemaMoved } from './schema-moved.ts';
import type { Session } from './session.ts';
import { findRow, type Reader } from './store.ts';

/**
 * Follows references of the model's rows. With `over`, a view that does not change while this is used, each row is read once. Without
 * it, rows are read as the turn shows them at each evaluation.
 */
export class Follower {
  readonly #session: Session;
  readonly #model: EntityModel;
  readonly #over: Reader | null;
  readonly #kept: Kept<Row> | null;
  /** Why a row could not be looked for; a rule would only deny. */
  #failed: { readonly error: unknown } | null = null;

  constructor(session: Session, model: EntityModel, over: Reader | null) {
    this.#session = session;
    this.#model = model;
    this.#over = over;
    this.#kept = over === null ? null : new Kept(rowUnder);
  }

  readonly follow: Follow = (fields, row) => {
    try {
      return this.#rowAt(fields, row);
    } catch (error) {
      if (!(error instanceof OutOfFuel)) this.#failed ??= { error };
      throw error;
    }
  };

  /** To be called after each evaluation. Throws SchemaMoved where a plan has replaced a model on the way, and what else kept a row from being looked for. */
  check(): void {
    if (this.#failed !== null) throw this.#failed.error;
  }

  #rowAt(fields: readonly string[], row: Row): Row | null {
    const reader = this.#over ?? this.#session.turn();
    let at: EntityModel = this.#model;
    let found: Row | null = row;
    for (const field of fields) {
      const reference = referenceOf(at, field);
      const key: unknown = found[field] ?? null;
      if (reference === undefined || key === null) return null;
      at = reference.to;
      if (at.retired) throw new SchemaMoved(at.name);
      found = this.#kept === null ? rowUnder(reader, at, key) : this.#kept.get(reader, at, key);
      if (found === null) return null;
    }
    return found;
  }
}

/** The reference that a field holds; undefined while the field or its entity is not served. */
export function referenceOf(model: EntityModel, field: string): Reference | undefined {
  return model.references.find(({ column }) => column.name === field);
}

/** Rows by the key that names them, as `read` gives them. A scan can meet any number of them, so there is a bound. */
export class Kept<T> {
  readonly #read: (reader: Reader, model: EntityModel, key: unknown) => T | null;
  readonly #rows = new Map<EntityModel, Map<unknown, T | null>>();
  #count = 0;

  constructor(read: (reader: Reader, model: EntityModel, key: unknown) => T | null) {
    this.#read = read;
  }

  get(reader: Reader, model: EntityModel, key: unknown): T | null {
    const known = this.#rows.get(model)?.get(key);
    if (known !== undefined) return known;
    const row = this.#read(reader, model, key);
    this.#keep(model, key, row);
    return row;
  }

  #keep(model: EntityModel, key: unknown, row: T | null): void {
    if (this.#count === limits.rules.followedRowsMax) {
      this.#rows.clear();
      this.#count = 0;
    }
    const rows = this.#rows.get(model);
    if (rows === undefined) this.#rows.set(model, new Map([[key, row]]));
    else rows.set(key, row);
    this.#count++;
  }
}

/** The row as rules see it; null where there is none, where it is soft-deleted, and where it cannot be read. */
function rowUnder(reader: Reader, model: EntityModel, key: unknown): Row | null {
  const slots = slotsUnder(reader, model, key);
  return slots === null || isDeleted(slots) ? null : model.shape(slots);
}

/** The slots of the row that a key names; null where there is none, and where it cannot be read. Burns what a referenced row costs. */
export function slotsUnder(reader: Reader, model: EntityModel, key: unknown): Slots | null {
  burn(limits.rules.followUnits + model.columns.length);
  const id = model.idOf(key);
  return id === null ? null : (findRow(reader, model, id)?.slots ?? null);
}
