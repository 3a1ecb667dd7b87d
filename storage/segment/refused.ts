/** A log that must not be written: it stays readable, and says why. */

/** `fork`: another tree of the same size was signed. `rollback`: files or signed state are older than what was signed. `damage`: bytes are not what was written. `held`: another process writes it. `key`: it was begun under another signing key. */
export type RefusedWhy = 'fork' | 'rollback' | 'damage' | 'held' | 'key';

export class LogRefused extends Error {
  readonly why: RefusedWhy;

  constructor(why: RefusedWhy, message: string) {
    super(`${why}: ${message}`);
    this.why = why;
  }
}

/** This process stops to write a log of which another place has the records, and may not have them all on its disk. The log is sound, and may be opened anew. */
export class LogLeft extends Error {}
