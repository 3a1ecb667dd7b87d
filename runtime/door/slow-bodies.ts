/** Ends bodies that take too long to arrive. One timer for a whole door, so that a request costs an entry in a set and no timer. */

export interface Expiring {
  expire(): void;
}

/** How much later than its time a body may be ended. */
const TICK_MS_MAX = 250;

export class SlowBodies {
  readonly #msMax: number;
  readonly #monotonic: () => number;
  /** Bodies under way and when each began; oldest first, for a Map keeps the order of insertion. */
  readonly #since = new Map<Expiring, number>();
  #timer: NodeJS.Timeout | null = null;

  constructor(msMax: number, monotonic: () => number = () => performance.now()) {
    this.#msMax = msMax;
    this.#monotonic = monotonic;
  }

  watch(visit: Expiring): void {
    this.#since.set(visit, this.#monotonic());
    this.#timer ??= setInterval(() => this.sweep(), Math.min(TICK_MS_MAX, this.#msMax)).unref();
  }

  forget(visit: Expiring): void {
    this.#since.delete(visit);
  }

  /** Ends every body whose time is up. The timer rests while there is nothing to watch. */
  sweep(): void {
    const before = this.#monotonic() - this.#msMax;
    for (const [visit, since] of this.#since) {
      if (since > before) break;
      this.#since.delete(visit);
      visit.expire();
    }
    if (this.#since.size === 0) this.#rest();
  }

  #rest(): void {
    clearInterval(this.#timer ?? undefined);
    this.#timer = null;
  }
}
