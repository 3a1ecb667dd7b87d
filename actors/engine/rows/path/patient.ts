/** Rows of a query of which some test may pause (rows-test.ts): a row is given once its test has an answer, which the test then keeps. */
import type { StoredRow } from '../codec.ts';
import type { Admits } from '../filter.ts';
import { Unfinished } from './rows-test.ts';

interface Source {
  next(): StoredRow | null | undefined;
  end(): void;
}

export class PatientCandidates {
  readonly #source: Source;
  readonly #test: Admits;
  #held: StoredRow | null = null;

  constructor(source: Source, test: Admits) {
    this.#source = source;
    this.#test = test;
  }

  /** Null also where the row at hand needs a further slice. */
  next(): StoredRow | null | undefined {
    const row = this.#held ?? this.#source.next();
    if (row === null || row === undefined) return row;
    this.#held = row;
    try {
      this.#test(row.slots);
    } catch (error) {
      if (error instanceof Unfinished) return null;
      throw error;
    }
    this.#held = null;
    return row;
  }

  end(): void {
    this.#source.end();
  }
}
