/**
 * Whether rows that refer to a row meet conditions. A row may have any number of them, so the look ends where the fuel of the slice does, and goes on
 * from there when it is asked again: `Unfinished`.
 */
import { burn, hasFuelForRow, OutOfFuel } from '#actors/kit/pace/fuel.ts';
import type { Steps } from '#actors/kit/pace/steps.ts';
import { limits } from '#config/limits.ts';
import type { Slots, StoredRow } from '../codec.ts';
import type { Admits } from '../filter.ts';
import { indexRange, tableRange } from '../keys/store.ts';
import type { Reference } from '../model.ts';
import { predicatesIn, type Conjunction } from '../query.ts';
import { entryId, findRow, rowOf, type Entry, type Reader } from '../store.ts';

/** The answer for a row needs more fuel than is left: the same question goes on in the next slice. */
export class Unfinished extends OutOfFuel {}

/** Whether conditions that are bound to a view may end with Unfinished. */
export function mayPause(conditions: Conjunction): boolean {
  return predicatesIn(conditions).some(({ at }) => at?.rows !== undefined);
}

/** The answer of a test that may pause, over as many slices as it takes. */
export function* patiently(test: Admits, slots: Slots): Steps<boolean> {
  for (;;) {
    try {
      return test(slots);
    } catch (error) {
      if (!(error instanceof Unfinished)) throw error;
    }
    yield;
  }
}

export class RowsTest {
  readonly #reader: Reader;
  readonly #by: Reference;
  /** Whether one of the rows counts, and whether it meets the conditions. */
  readonly #shows: Admits;
  readonly #fits: Admits;
  readonly #every: boolean;
  readonly #known = new Map<unknown, boolean>();
  /** How far the look for a key has come. */
  #key: unknown;
  #from: string | null = null;

  constructor(reader: Reader, by: Reference, shows: Admits, fits: Admits, every: boolean) {
    this.#reader = reader;
    this.#by = by;
    this.#shows = shows;
    this.#fits = fits;
    this.#every = every;
  }

  /** Of the rows that refer to a key: whether each meets the conditions, or one does. */
  holds(key: unknown): boolean {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (this.#key !== key) this.#from = null;
    this.#key = key;
    const holds = this.#look(key);
    this.#from = null;
    if (this.#known.size === limits.rules.followedRowsMax) this.#known.clear();
    this.#known.set(key, holds);
    return holds;
  }

  #look(key: unknown): boolean {
    const { index, from, column } = this.#by;
    const range = index === null ? tableRange(from.table) : indexRange(index, [key]);
    for (const entry of this.#reader.range(this.#from ?? range.from, range.to)) {
      this.#from = entry.key;
      if (!hasFuelForRow()) throw new Unfinished();
      burn(limits.data.includeLookUnits + from.columns.length);
      const row = this.#rowAt(entry);
      // The range may also hold other rows, so each row is checked.
      if (row === undefined || row.slots[column.at] !== key || !this.#shows(row.slots)) continue;
      if (this.#fits(row.slots) !== this.#every) return !this.#every;
    }
    return this.#every;
  }

  /** Until the schema has an index, all rows are looked at. */
  #rowAt(entry: Entry): StoredRow | undefined {
    const { index, from } = this.#by;
    return index === null ? rowOf(from, entry) : findRow(this.#reader, from, entryId(entry));
  }
}
