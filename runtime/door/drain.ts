/** Counts the visits of a door, so that closing it can wait for their answers. */
import { setImmediate as turn, setTimeout as passed } from 'node:timers/promises';
import { limits } from '#config/limits.ts';

/** The clock of a drain, milliseconds. */
export interface DrainClock {
  now(): number;
  passed(ms: number): Promise<unknown>;
}

const REAL: DrainClock = { now: () => performance.now(), passed: (ms) => passed(ms) };

export class Drain {
  readonly #clock: DrainClock;
  closing = false;
  /** Each answer ends its connection from here on, also while the door still listens: none is left on which a caller may send at the moment in which the door closes. */
  ends = false;
  #inFlight = 0;
  /** When the newest visit came. */
  #cameAt = -Infinity;
  #settled: (() => void) | null = null;

  constructor(clock = REAL) {
    this.#clock = clock;
  }

  enter(): void {
    this.#inFlight++;
    if (this.ends) this.#cameAt = this.#clock.now();
  }

  leave(): void {
    this.#inFlight--;
    if (this.#inFlight === 0) this.#settled?.();
  }

  /**
   * Resolves when what waits to be accepted has been: a listener that is closed cuts it. While callers come the event loop accepts and then works for milliseconds, in which others connect; so it resolves behind a short round of it, or
   * after a bound of time.
   */
  async accepted(): Promise<void> {
    this.ends = true;
    const { acceptMsMax, shortTurnMs } = limits.door;
    const until = this.#clock.now() + acceptMsMax;
    for (;;) {
      const began = this.#clock.now();
      await turn(); // behind the poll phase, which accepts all that waits
      const now = this.#clock.now();
      if (now - began < shortTurnMs || now > until) return;
    }
  }

  /** Resolves when no visit is under way, and none came a moment ago (or some came for long, and that moment has gone by once since the first answers were given), or after `ms`. Bytes that had arrived on a connection before are still read; a caller that had just connected has that moment to send its request. */
  async settle(ms: number): Promise<void> {
    this.closing = true;
    this.ends = true;
    const until = AbortSignal.timeout(ms);
    const { closeQuietMs, closeQuietMsMax } = limits.door;
    let longest = this.#clock.now() + closeQuietMsMax;
    let isFirst = true;
    do {
      if (this.#inFlight > 0) await this.#empty(until);
      // Those that connected while a long visit was under way have their moment, too.
      if (isFirst) longest = Math.max(longest, this.#clock.now() + closeQuietMs);
      isFirst = false;
      // Between two turns of the event loop its poll phase reads from connections, which may start further visits.
      await turn();
      await turn();
      const waitMs = Math.min(this.#cameAt + closeQuietMs, longest) - this.#clock.now();
      if (waitMs > 0) await this.#clock.passed(waitMs);
      else if (this.#inFlight === 0) return;
    } while (!until.aborted);
  }

  async #empty(until: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#settled = resolve;
      until.addEventListener('abort', () => resolve(), { once: true });
      if (until.aborted) resolve();
    });
    this.#settled = null;
  }
}
