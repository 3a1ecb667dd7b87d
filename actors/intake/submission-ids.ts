/** ULIDs that keep growing after a restart, even when the clock was set back meanwhile. Spec: docs/contract/intake.md §4.3. */
import { ULID_ALPHABET } from '#config/values/id.ts';
import type { IdSource } from '#actors/kit/id.ts';

export class SubmissionIds {
  readonly #source: IdSource;
  #last = '';

  constructor(source: IdSource) {
    this.#source = source;
  }

  /** Reports an id that was issued before: later ids are greater. */
  seen(id: string): void {
    if (id > this.#last) this.#last = id;
  }

  next(): string {
    const id = this.#source.next();
    this.#last = id > this.#last ? id : successor(this.#last);
    return this.#last;
  }
}

/** The ULID after `id`, as a number of 26 base-32 digits. */
function successor(id: string): string {
  let at = id.length - 1;
  while (id[at] === 'Z') at--;
  return id.slice(0, at) + ULID_ALPHABET[ULID_ALPHABET.indexOf(id[at]!) + 1]! + '0'.repeat(id.length - 1 - at);
}
