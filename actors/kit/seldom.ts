/**
 * Log lines that any request can make happen: one a minute of each kind, which says how many were left out since the last. Without that,
 * a caller could fill the operator's log, and what matters there would drown.
 */
const EVERY_MS = 60_000;
/** Kinds that are remembered; the one that was told longest ago is forgotten first. */
const KINDS_MAX = 1000;

interface Told {
  readonly at: number;
  leftOut: number;
}

export class Seldom {
  readonly #told = new Map<string, Told>();

  /** How many of the kind were left out since the last that was told, or null: leave out this one, too. `now` in milliseconds. */
  leftOut(kind: string, now: number): number | null {
    const last = this.#told.get(kind);
    if (last !== undefined && now - last.at < EVERY_MS) {
      last.leftOut++;
      return null;
    }
    this.#told.delete(kind);
    if (this.#told.size >= KINDS_MAX) this.#told.delete(this.#told.keys().next().value!);
    this.#told.set(kind, { at: now, leftOut: 0 });
    return last?.leftOut ?? 0;
  }
}
