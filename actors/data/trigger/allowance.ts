/**
 * The time that a tenant's triggers may spend in scripts: a bucket of milliseconds that fills with the clock. A script that takes more than is
 * left runs to its end, and the next one waits until that is paid. Pure: time is passed in.
 */
import { limits } from '#config/limits.ts';

export interface AllowanceRules {
  readonly atOnceMs: number;
  readonly perSecondMs: number;
}

const RULES: AllowanceRules = {
  atOnceMs: limits.triggers.scriptMsAtOnce,
  perSecondMs: limits.triggers.scriptMsPerSecond,
};

export class Allowance {
  readonly #rules: AllowanceRules;
  #left: number;
  #atMs: number;

  constructor(nowMs: number, rules: AllowanceRules = RULES) {
    this.#rules = rules;
    this.#left = rules.atOnceMs;
    this.#atMs = nowMs;
  }

  /** Milliseconds until a script may run: 0 when one may run now. */
  waitMs(nowMs: number): number {
    this.#fill(nowMs);
    if (this.#left > 0) return 0;
    return Math.ceil(((1 - this.#left) / this.#rules.perSecondMs) * 1000);
  }

  spend(nowMs: number, ms: number): void {
    this.#fill(nowMs);
    this.#left -= ms;
  }

  /** A clock that was set back gives nothing. */
  #fill(nowMs: number): void {
    const gained = (Math.max(0, nowMs - this.#atMs) / 1000) * this.#rules.perSecondMs;
    this.#left = Math.min(this.#rules.atOnceMs, this.#left + gained);
    this.#atMs = nowMs;
  }
}
