/** What a long run prints while it goes on: seldom, so that its log stays short, and with what one needs to decide whether to let it end. */
import { number } from '#bench/kit/format.ts';

export interface SeedsDone {
  readonly done: number;
  readonly of: number;
  /** Since the first. */
  readonly ms: number;
  readonly violations: number;
}

/** `simulation: 400 of 4,000 seeds, 92 a second, 0 violations, about 39 s left`. */
export function seedsLine(what: string, { done, of, ms, violations }: SeedsDone): string {
  const perSecond = done / Math.max(ms / 1000, 0.001);
  const leftSeconds = Math.ceil((of - done) / Math.max(perSecond, 0.001));
  const rate = perSecond < 10 ? perSecond.toFixed(1) : number(Math.round(perSecond));
  return `${what}: ${number(done)} of ${number(of)} seeds, ${rate} a second, ${number(violations)} violations, about ${number(leftSeconds)} s left`;
}

export interface Pace {
  readonly everyMs: number;
  /** Milliseconds of a clock that goes on. */
  readonly now: () => number;
  readonly say: (line: string) => void;
}

/** Says a line when the last one, or the beginning, is so long ago. */
export class Progress {
  readonly #pace: Pace;
  readonly #began: number;
  #saidAt: number;

  constructor(pace: Pace) {
    this.#pace = pace;
    this.#began = this.#saidAt = pace.now();
  }

  /** Called as often as one likes. */
  tick(line: (ms: number) => string): void {
    const now = this.#pace.now();
    if (now - this.#saidAt < this.#pace.everyMs) return;
    this.#saidAt = now;
    this.#pace.say(line(now - this.#began));
  }
}
