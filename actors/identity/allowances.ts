/**
 * Counts how often something may happen for one subject: a burst, then one per interval (a generic cell rate). Each awake tenant has a table
 * in memory, which a restart empties.
 */

export interface Allowance {
  readonly burst: number;
  readonly everyMs: number;
  /** How many subjects are remembered; beyond it the table forgets the subject that was noted longest ago. */
  readonly entriesMax: number;
}

export class Allowances {
  readonly #allowance: Allowance;
  /** Subject → when its allowance is whole again, in milliseconds since the epoch. */
  readonly #wholeAt = new Map<string, number>();

  constructor(allowance: Allowance) {
    this.#allowance = allowance;
  }

  /** Milliseconds until the subject may try again; 0 when it may now. */
  waitMs(subject: string, nowMs: number): number {
    const { burst, everyMs } = this.#allowance;
    return Math.max(0, (this.#wholeAt.get(subject) ?? 0) - nowMs - (burst - 1) * everyMs);
  }

  blocked(subject: string, nowMs: number): boolean {
    return this.waitMs(subject, nowMs) > 0;
  }

  /** Counts one use of the allowance. */
  note(subject: string, nowMs: number): void {
    const { burst, everyMs, entriesMax } = this.#allowance;
    const wholeAt = Math.min(Math.max(this.#wholeAt.get(subject) ?? 0, nowMs) + everyMs, nowMs + burst * everyMs);
    this.#wholeAt.delete(subject);
    this.#wholeAt.set(subject, wholeAt);
    if (this.#wholeAt.size > entriesMax) this.#forgetOldest();
  }

  /** Takes one counted use back. */
  giveBack(subject: string): void {
    const wholeAt = this.#wholeAt.get(subject);
    if (wholeAt !== undefined) this.#wholeAt.set(subject, wholeAt - this.#allowance.everyMs);
  }

  #forgetOldest(): void {
    for (const oldest of this.#wholeAt.keys()) {
      this.#wholeAt.delete(oldest);
      return;
    }
  }
}
