/** When a backup of the node is due. Pure: the clock is passed in. */

export type Step = 'wait' | 'begin' | 'skip';

export class Schedule {
  readonly #everyMs: number;
  readonly #retryMs: number;
  #due: number;
  #running = false;

  /** `lastMs`: when the newest set began, null without one. `firstMs`: before that instant nothing begins. */
  constructor(everyMs: number, retryMs: number, lastMs: number | null, firstMs: number) {
    this.#everyMs = everyMs;
    this.#retryMs = Math.min(retryMs, everyMs);
    // A set of the future, by a clock that was set back since, must not put off the next one for longer than one interval.
    this.#due = lastMs === null ? firstMs : Math.max(firstMs, Math.min(lastMs, firstMs) + everyMs);
  }

  /** When the next one is due, in milliseconds. */
  get due(): number {
    return this.#due;
  }

  /**
   * Asked now and then. Backups that were due while the node was down, or while the clock jumped, are made up for by one. `skip`: one is due
   * and another one runs still.
   */
  step(now: number): Step {
    if (now < this.#due) return 'wait';
    const missed = Math.floor((now - this.#due) / this.#everyMs);
    this.#due += (missed + 1) * this.#everyMs;
    if (this.#running) return 'skip';
    this.#running = true;
    return 'begin';
  }

  /** A backup began otherwise: an operator asked for it. */
  began(): void {
    this.#running = true;
  }

  /** A failed one is tried again before the next is due. */
  ended(ok: boolean, now: number): void {
    this.#running = false;
    if (!ok) this.#due = Math.min(this.#due, now + this.#retryMs);
  }
}
