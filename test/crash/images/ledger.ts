/** What the clients of a recorded node asked for, and what was answered: notes in the order of the recording. */

/** `item`: a row. `stock`: a change of that row. `envelope`: many rows at once. `record`: one of the audit log. */
export type Act = 'item' | 'stock' | 'envelope' | 'submission' | 'record' | 'asset';

export interface Note {
  readonly phase: 'asked' | 'answered';
  readonly act: Act;
  /** The same for both phases; of `stock`: the name of the row. */
  readonly key: string;
  /** Answered: the id or the index. Of `stock`: the new value. Of an asset: its id, once it is known, and its digest. */
  readonly value?: string | number;
}

interface Entry {
  /** What was answered; undefined while nothing was. */
  answered?: string | number | undefined;
  isAnswered: boolean;
  /** Of `stock`: the values that were asked for since the one that was answered last. */
  asked: (string | number)[];
}

/** What must be there, and what may be there, as of one instant. */
export class Ledger {
  readonly #entries = new Map<Act, Map<string, Entry>>();

  add({ phase, act, key, value }: Note): void {
    const entries = this.of(act);
    let entry = entries.get(key);
    if (entry === undefined) entries.set(key, (entry = { isAnswered: false, asked: [] }));
    if (phase === 'asked') {
      if (value !== undefined) entry.asked.push(value);
      return;
    }
    entry.isAnswered = true;
    entry.answered = value;
    // One caller changes a row, one change after the other.
    entry.asked.length = 0;
  }

  of(act: Act): Map<string, Entry> {
    let entries = this.#entries.get(act);
    if (entries === undefined) this.#entries.set(act, (entries = new Map()));
    return entries;
  }

  /** As it is now: this one goes on. */
  copy(): Ledger {
    const copy = new Ledger();
    for (const [act, entries] of this.#entries)
      for (const [key, entry] of entries) copy.of(act).set(key, { ...entry, asked: [...entry.asked] });
    return copy;
  }
}
