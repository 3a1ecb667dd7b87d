/** The kept changes in one view of the store: read and decoded once for all subscribers that are served from it. */
import { limits } from '#config/limits.ts';
import type { Slots, StoredRow } from '#actors/engine/rows/codec.ts';
import type { EntityModel } from '#actors/engine/rows/model.ts';
import { decodeSlots, findRow } from '#actors/engine/rows/store.ts';
import type { Reader } from '#actors/engine/rows/store.ts';
import { entriesAfter } from './store.ts';
import type { ChangeEntry, ChangeHead } from './store.ts';

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
  readonly #from = new Map<number, readonly KeptChange[]>();

  constructor(reader: Reader, head: ChangeHead) {
    this.reader = reader;
    this.seq = head.seq;
  }

  /** Changes behind a position: one more than one subscriber is served in a round, so that it shows whether further ones follow. */
  after(position: number): readonly KeptChange[] {
    let found = this.#from.get(position);
    if (found === undefined) this.#from.set(position, (found = this.#read(position)));
    return found;
  }

  #read(position: number): KeptChange[] {
    const found: KeptChange[] = [];
    for (const { seq, entry } of entriesAfter(this.reader, position)) {
      found.push(new KeptChange(seq, entry));
      if (found.length > limits.changes.roundRows) break;
    }
    return found;
  }
}
