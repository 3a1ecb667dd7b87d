/** Counts the visits of a door, so that closing it can wait for their answers. */
import { setImmediate as turn } from 'node:timers/promises';

export class Drain {
  closing = false;
  /** Each answer ends its connection from here on, also while the door still listens: none is left on which a caller may send at the moment in which the door closes. */
  ends = false;
  #inFlight = 0;
  #settled: (() => void) | null = null;

  enter(): void {
    this.#inFlight++;
  }

  leave(): void {
    this.#inFlight--;
    if (this.#inFlight === 0) this.#settled?.();
  }

  /** Resolves when no visit is under way, or after `ms`. Bytes that had arrived on a connection before are still read. */
  async settle(ms: number): Promise<void> {
    this.closing = true;
    this.ends = true;
    const until = AbortSignal.timeout(ms);
    do {
      if (this.#inFlight > 0) await this.#empty(until);
      // Between two turns of the event loop its poll phase reads from connections, which may start further visits.
      await turn();
      await turn();
    } while (this.#inFlight > 0 && !until.aborted);
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
