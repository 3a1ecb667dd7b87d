/** A restart budget: a number of exits that are allowed within a sliding window. */
import type { Clock } from '#actors/kit/clock.ts';

export class RestartBudget {
  readonly #max: number;
  readonly #windowMs: number;
  readonly #clock: Clock;
  #exits: number[] = [];

  constructor(budget: { readonly max: number; readonly windowMs: number }, clock: Clock) {
    this.#max = budget.max;
    this.#windowMs = budget.windowMs;
    this.#clock = clock;
  }

  /** Counts one exit; false when the budget is spent. */
  spend(): boolean {
    const now = this.#clock.now();
    this.#exits = this.#exits.filter((at) => at > now - this.#windowMs);
    this.#exits.push(now);
    return this.#exits.length <= this.#max;
  }
}
