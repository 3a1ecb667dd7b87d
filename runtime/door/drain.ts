/** Counts the visits of a door, so that closing it can wait for their answers. */
import { setImmediate as turn, setTimeout as passed } from 'node:timers/promises';
import { limits } from '#config/limits.ts';
import { NONE, type LastCallers } from './last-callers.ts';

/** The clock of a drain, milliseconds. */
export interface DrainClock {
  now(): number;
  passed(ms: number): Promise<unknown>;
}

const REAL: DrainClock = { now: () => performance.now(), passed: (ms) => passed(ms) };

export class Drain {
  readonly #clock: DrainClock;
  closing = false;
  /** Whom the kernel knows of. */
  last: LastCallers = NONE;
  #endsSince = Infinity;
  #inFlight = 0;
  /** When the newest visit came. */
  #cameAt = -Infinity;
  #settled: (() => void) | null = null;

  constructor(clock = REAL) {
    this.#clock = clock;
  }

  /** Each answer ends its connection, also while the door still listens: none is left on which a caller may send at the moment in which the door closes. */
  get ends(): boolean {
    return this.#endsSince !== Infinity;
  }

  /** Each answer ends its connection from here on. */
  retire(): void {
    if (!this.ends) this.#endsSince = this.#clock.now();
  }

  enter(): void {
    this.#inFlight++;
    if (this.ends) this.#cameAt = this.#clock.now();
  }

  leave(): void {
    this.#inFlight--;
    if (this.#inFlight === 0) this.#settled?.();
  }

  /** Resolves when the listener may be closed: those to whom the kernel has said that they are connected have been accepted, as far as the system shows whether they are, for a bounded time. */
  async accepted(): Promise<void> {
    this.retire();
    const { acceptMsMax, closeQuietMs, handshakeMs } = limits.door;
    if (!this.last.shutOut()) return this.#acceptedByTurns();
    const until = this.#clock.now() + acceptMsMax;
    // Callers are about, and those of another machine may not know yet that they are connected.
    if (this.#clock.now() - this.#cameAt < closeQuietMs) await this.#clock.passed(handshakeMs);
    do await turn();
    while (this.last.waiting() > 0 && this.#clock.now() < until);
  }

  /** While callers come the event loop accepts and then works for milliseconds, in which others connect; so this resolves behind a short round of it. */
  async #acceptedByTurns(): Promise<void> {
    const { acceptMsMax, shortTurnMs } = limits.door;
    const until = this.#clock.now() + acceptMsMax;
    for (;;) {
      const began = this.#clock.now();
      await turn(); // behind the poll phase, which accepts all that waits
      const now = this.#clock.now();
      if (now - began < shortTurnMs || now > until) return;
    }
  }

  /** Resolves when no visit is under way, and none came a moment ago (or some came for long, and that moment has gone by once since the first answers were given), nor is one to be expected of callers that have just connected; or after `ms`. Bytes that had arrived on a connection before are still read. */
  async settle(ms: number): Promise<void> {
    this.closing = true;
    this.retire();
    const until = AbortSignal.timeout(ms);
    const { closeQuietMs, closeQuietMsMax, silentLookMs } = limits.door;
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
      const now = this.#clock.now();
      const waitMs = Math.min(this.#cameAt + closeQuietMs, longest) - now;
      if (waitMs > 0) await this.#clock.passed(waitMs);
      else if (this.#inFlight > 0) continue;
      else if (this.last.expected(now - this.#endsSince)) await this.#clock.passed(silentLookMs);
      else return;
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
