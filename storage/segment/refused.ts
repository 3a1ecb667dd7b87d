/** A log that must not be written: it stays readable, and says why. */

/** `fork`: another tree of the same size was signed. `rollback`: files or signed state are older than what was signed. `damage`: bytes are not what was written. `held`: another process writes it. */
export type RefusedWhy = 'fork' | 'rollback' | 'damage' | 'held';

export class LogRefused extends Error {
  readonly why: RefusedWhy;

  constructor(why: RefusedWhy, message: string) {
    super(`${why}: ${message}`);
    this.why = why;
  }
}
