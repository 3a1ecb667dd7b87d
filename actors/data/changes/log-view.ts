/** The kept changes in one view of the store: read and decoded once for all subscribers that are served from it. */
import { limits } from '#config/limits.ts';
import type { Slots, StoredRow } from '#actors/engine/rows/codec.ts';
import type { EntityModel } from '#actors/engine/rows/model.ts';
import { decodeSlots, findRow, type Reader } from '#actors/engine/rows/store.ts';
import { entriesAfter, type ChangeEntry, type ChangeHead } from './store.ts';

export class KeptChange {
  readonly seq: number;
  readonly entry: ChangeEntry;
  #before: Slots | null | undefined;
  #after: Slots | null | undefined;
  #now: { readonly row: StoredRow | undefined } | null = null;
  #written: { readonly write: (row: StoredRow) => string; readonly text: string } | null = null;

  constructor(seq: number, entry: ChangeEntry) {
    this.seq = seq;
    this.entry = entry;
  }

  /** The row before the change, padded; null where no subscriber saw it. */
  before({ pad }: EntityModel): Slots | null {
    return (this.#before ??= slotsOf(this.entry.before, pad));
  }

  after({ pad }: EntityModel): Slots | null {
    return (this.#after ??= slotsOf(this.entry.after, pad));
  }

  /** The row as the view has it; undefined where there is none. */
  now(reader: Reader, model: EntityModel): StoredRow | undefined {
    if (this.#now === null) {
      const key = model.idOf(this.entry.id);
      this.#now = { row: key === null ? undefined : findRow(reader, model, key) };
    }
    return this.#now.row;
  }

  /** The row of now as JSON: subscribers that are shown the same fields share the text. */
  written(row: StoredRow, write: (row: StoredRow) => string): string {
    if (this.#written?.write !== write) this.#written = { write, text: write(row) };
    return this.#written.text;
  }
}

const slotsOf = (bytes: Uint8Array | null, pad: EntityModel['pad']): Slots | null =>
  bytes === null ? null : pad(decodeSlots(bytes));

export class LogView {
  readonly reader: Reader;
  /** The head's number. */
  readonly seq: number;
  /** The last changes of the log, those behind `#tailFrom`: subscribers that wait are nearly as far as one another. */
  #tail: KeptChange[] = [];
  #tailFrom = Number.POSITIVE_INFINITY;
  /** Beginnings of stretches that do not reach the tail, by their positions. */
  readonly #far = new Map<number, readonly KeptChange[]>();
  readonly #made = new Map<object, Map<string, unknown>>();

  constructor(reader: Reader, head: ChangeHead) {
    this.reader = reader;
    this.seq = head.seq;
  }

  /** Changes behind a position: where there are, one more than one subscriber is served in a round, so that it shows whether further ones follow. */
  after(position: number): readonly KeptChange[] {
    if (position >= this.#tailFrom) return this.#tail.slice(firstBehind(this.#tail, position));
    const known = this.#far.get(position);
    if (known !== undefined) return known;
    const found = this.#read(position);
    if (found.length > limits.changes.roundRows) {
      this.#far.set(position, found);
      return found;
    }
    this.#tail = found.concat(this.#tail);
    this.#tailFrom = position;
    return this.#tail;
  }

  /** What is the same for all subscribers with the same `whose` and `what`: made for the first of them. */
  once<T>(whose: object, what: string, make: () => T): T {
    let own = this.#made.get(whose);
    if (own === undefined) this.#made.set(whose, (own = new Map<string, unknown>()));
    if (!own.has(what)) own.set(what, make());
    return own.get(what) as T;
  }

  #read(position: number): KeptChange[] {
    const found: KeptChange[] = [];
    for (const { seq, entry } of entriesAfter(this.reader, position)) {
      if (seq > this.#tailFrom) break;
      found.push(new KeptChange(seq, entry));
      if (found.length > limits.changes.roundRows) break;
    }
    return found;
  }
}

/** The place of the first change behind a position. */
function firstBehind(changes: readonly KeptChange[], position: number): number {
  let [from, to] = [0, changes.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (changes[middle]!.seq > position) to = middle;
    else from = middle + 1;
  }
  return from;
}
