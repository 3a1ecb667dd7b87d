/** Ends whatever takes longer in all than it may, such as an answer that does not leave. A door has one timer; each watched thing costs an entry in a Map. */

/** How late after its deadline something may be ended. */
const TICK_MS_MAX = 250;

export class Deadlines<T> {
  readonly #msMax: number;
  readonly #expire: (late: T) => void;
  readonly #monotonic: () => number;
  /** The watched things and when each began; oldest first, since a Map keeps the order of insertion. */
  readonly #since = new Map<T, number>();
  #timer: NodeJS.Timeout | null = null;

  constructor(msMax: number, expire: (late: T) => void, monotonic: () => number = () => performance.now()) {
    this.#msMax = msMax;
    this.#expire = expire;
    this.#monotonic = monotonic;
  }

  watch(one: T): void {
    this.#since.set(one, this.#monotonic());
    this.#timer ??= setInterval(() => this.sweep(), Math.min(TICK_MS_MAX, this.#msMax)).unref();
  }

  forget(one: T): void {
    this.#since.delete(one);
  }

  /** Ends everything whose time is up. The timer rests while there is nothing to watch. */
  sweep(): void {
    const before = this.#monotonic() - this.#msMax;
    for (const [one, since] of this.#since) {
      if (since > before) break;
      this.#since.delete(one);
      this.#expire(one);
    }
    if (this.#since.size === 0) this.#rest();
  }

  #rest(): void {
    clearInterval(this.#timer ?? undefined);
    this.#timer = null;
  }
}
