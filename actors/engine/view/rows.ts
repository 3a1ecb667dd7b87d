/** The rows that the statement of a view has given, as rows of its model: each value in the form of its declared type. */
import { Refused } from '#actors/kit/refused.ts';
import { FIELD_TYPES } from '#config/values/field-types.ts';
import type { GivenRows } from '../rows/access-path.ts';
import { failure } from '../rows/failure.ts';
import type { StoredRow } from '../rows/codec.ts';
import type { Column, EntityModel } from '../rows/model.ts';

type Output = Readonly<Record<string, unknown>>;

/** Every row has this version, and no time of a delete: they do not leave the engine. */
const HEAD = [1, null, null, null, null] as const;

/** Gives the rows one after another. Throws Refused (422) at a value that is not of its column's type, and at a second row with the same key. */
export class ViewRows implements GivenRows {
  readonly #model: EntityModel;
  readonly #rows: readonly Output[];
  readonly #keys = new Set<unknown>();
  #at = 0;

  constructor(model: EntityModel, rows: readonly Output[]) {
    this.#model = model;
    this.#rows = rows;
  }

  next(): StoredRow | undefined {
    const output = this.#rows[this.#at++];
    if (output === undefined) return undefined;
    const { name, columns, key } = this.#model;
    const slots: unknown[] = [...HEAD];
    for (const column of columns) slots[column.at] = valueOf(name, column, output[column.name]);
    const id = slots[key.at];
    if (id === null) throw wrong(name, `a row without ${key.name}`);
    if (this.#keys.has(id)) throw wrong(name, `two rows with one ${key.name}`); // not which: a rule may hide both
    this.#keys.add(id);
    return { slots, json: '', by: null };
  }

  end(): void {
    // Nothing is held.
  }
}

function valueOf(view: string, { name, type }: Column, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  const { of, ofText } = FIELD_TYPES[type];
  const own = of(value);
  if (own !== undefined) return own;
  const read = typeof value === 'string' && ofText !== null ? ofText(value) : undefined;
  if (read === undefined) throw wrong(view, `${name} that is no ${type}`);
  return read;
}

function wrong(view: string, what: string): Refused {
  return new Refused(failure(422, `the statement of the view ${view} gives ${what}`, { view }));
}
