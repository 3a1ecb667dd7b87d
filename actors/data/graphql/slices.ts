/**
 * Keeps a long answer from holding its host (docs/contract/common.md §8.3): work runs at once while its slice lasts, then waits in order, and
 * other turns run between slices.
 */
import { failure } from '#actors/engine/rows/failure.ts';
import type { Session } from '#actors/engine/rows/session.ts';
import { limits } from '#config/limits.ts';
import { queryError } from './errors.ts';

type Waiting = () => void;

export class Slices {
  readonly #session: Session;
  readonly #cost: number;
  readonly #end: number;
  #left: number;
  /** When the slice is over, whatever its work cost: what callers notice is time. */
  #until: number;
  #queue: Waiting[] = [];

  /** `cost` is what one slice may cost; Infinity for an answer that is known to fit in one. */
  constructor(session: Session, cost: number) {
    this.#session = session;
    this.#cost = cost;
    this.#left = cost;
    this.#until = session.clock.fine() + limits.data.sliceMsMax;
    this.#end = session.clock.now() + limits.storage.snapshotMsMax;
  }

  /** Does the work now, or in a later slice. Rejects, with the work not done, once the answer has taken longer than its snapshot may live. */
  run<T>(cost: number, work: () => T | Promise<T>): T | Promise<T> {
    if (this.#queue.length === 0 && this.#lasts) {
      this.#left -= cost;
      return work();
    }
    return new Promise((resolve, reject) => {
      this.#queue.push(() => {
        this.#left -= cost;
        try {
          if (this.#session.clock.now() > this.#end) throw tookTooLong();
          resolve(work());
        } catch (error) {
          reject(error);
        }
      });
      if (this.#queue.length === 1) void this.#drain();
    });
  }

  /** Charges what work cost beyond the cost given to `run`. */
  charge(cost: number): void {
    this.#left -= cost;
  }

  /** Whether the slice goes on: it has taken neither what it may cost nor its time. */
  get #lasts(): boolean {
    return this.#left > 0 && (this.#cost === Infinity || this.#session.clock.fine() < this.#until);
  }

  async #drain(): Promise<void> {
    let at = 0;
    while (at < this.#queue.length) {
      await this.#session.yieldTurn();
      this.#left = this.#cost;
      this.#until = this.#session.clock.fine() + limits.data.sliceMsMax;
      do {
        this.#queue[at++]!();
        // The code that awaited this goes on before the next begins, so that its cost counts for this slice.
        await Promise.resolve();
      } while (at < this.#queue.length && this.#lasts);
    }
    this.#queue = [];
  }
}

function tookTooLong(): Error {
  return queryError(failure(500, `the query took longer than ${limits.storage.snapshotMsMax} ms`));
}
