/**
 * How often something may happen for one subject, in memory: a burst, then one per interval (a generic cell rate). One table per awake
 * tenant; a restart forgets it.
 */

export interface Allowance {
  readonly burst: number;
  readonly everyMs: number;
  /** Subjects that are remembered; past that the one that was noted longest ago is forgotten. */
  readonly entriesMax: number;
}

export class Allowances {
  readonly #allowance: Allowance;
  /** Subject → when its allowance is whole again, in milliseconds since the epoch. */
  readonly #wholeAt = new Map<string, number>();

  constructor(allowance: Allowance) {
    this.#allowance = allowance;
  }

  /** How long until the subject has some of its allowance again; 0 when it has some now. */
  waitMs(subject: string, nowMs: number): number {
    const { burst, everyMs } = this.#allowance;
    return Math.max(0, (this.#wholeAt.get(subject) ?? 0) - nowMs - (burst - 1) * everyMs);
  }

  blocked(subject: string, nowMs: number): boolean {
    return this.waitMs(subject, nowMs) > 0;
  }

  /** Notes that it happened once. */
  note(subject: string, nowMs: number): void {
    const { burst, everyMs, entriesMax } = this.#allowance;
    const wholeAt = Math.min(Math.max(this.#wholeAt.get(subject) ?? 0, nowMs) + everyMs, nowMs + burst * everyMs);
    this.#wholeAt.delete(subject);
    this.#wholeAt.set(subject, wholeAt);
    if (this.#wholeAt.size > entriesMax) this.#forgetOldest();
  }

  /** Takes one back that was noted. */
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
