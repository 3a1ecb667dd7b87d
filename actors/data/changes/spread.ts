/**
 * Spreads a round over the time in which the next changes are gathered: a few subscribers every few milliseconds. Served all at once they would take
 * thread, door and sockets for themselves, and each caller that comes in just then would wait for all of them.
 */
import type { GatherPorts } from './gather.ts';

export interface SpreadPorts {
  /** In so many parts, the time that they share, and how many subscribers are one part anyway. */
  readonly parts: number;
  readonly ms: number;
  readonly least: number;
  /** Runs a function after so many milliseconds; without it nothing is spread. */
  readonly after: GatherPorts['after'];
}

export class Spread {
  readonly #ports: SpreadPorts;
  #share = Number.POSITIVE_INFINITY;
  #wake: (() => void) | null = null;

  constructor(ports: SpreadPorts) {
    this.#ports = ports;
  }

  /** How many subscribers are served at a stretch. */
  get share(): number {
    return this.#share;
  }

  /** So many subscribers wait for changes that follow one another closely. */
  begin(waiting: number): void {
    const { parts, least, after } = this.#ports;
    if (after !== undefined) this.#share = Math.max(least, Math.ceil(waiting / parts));
  }

  /** What waits is served as soon as it can be. */
  hurry(): void {
    this.#share = Number.POSITIVE_INFINITY;
    this.#wake?.();
  }

  /** The time between two parts; null where nothing is spread. */
  pause(): Promise<void> | null {
    const { parts, ms, after } = this.#ports;
    if (after === undefined || this.#share === Number.POSITIVE_INFINITY) return null;
    return new Promise((resolve) => {
      this.#wake = resolve;
      after(ms / parts, resolve);
    });
  }
}
