/**
 * Log lines that any request can cause: one a minute of each kind, which says how many there were since the last. Otherwise a caller could
 * fill the operator's log and hide what matters.
 */
import { OneForMany } from './one-for-many.ts';

const EVERY_MS = 60_000;
/** Kinds that are remembered; the one that was first met longest ago is forgotten first. */
const KINDS_MAX = 1000;

export class Seldom {
  readonly #kinds = new Map<string, OneForMany>();

  /** How many of the kind were left out since the last line, or null: leave out this one, too. `now` in milliseconds. */
  leftOut(kind: string, now: number): number | null {
    const due = this.#of(kind).seen(now);
    return due === null ? null : due.since - 1;
  }

  #of(kind: string): OneForMany {
    const known = this.#kinds.get(kind);
    if (known !== undefined) return known;
    if (this.#kinds.size >= KINDS_MAX) this.#kinds.delete(this.#kinds.keys().next().value!);
    const first = new OneForMany(EVERY_MS);
    this.#kinds.set(kind, first);
    return first;
  }
}
