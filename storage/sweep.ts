/**
 * Writes of the log on their way into an environment: in groups, one commit each, and the last one also says how far the environment is then. All that brings records into LMDB goes
 * this way: the follower of a live journal, the replay after a crash, and a standby. Writes are absolute, so an environment that stopped between two groups lies between two numbers,
 * and a replay from the older one ends at the same state.
 */
import { appliedWrite } from './applied.ts';
import type { Applied } from './applied.ts';
import type { Environment, Write } from './environment.ts';

/** Gives the next writes in key order, at most `max`, and whether they are the last ones. */
export type TakeWrites = (max: number) => { readonly writes: Write[]; readonly isLast: boolean };

export class Sweep {
  readonly #environment: Environment;
  readonly #take: TakeWrites;
  readonly #applied: Applied;
  readonly #putsMax: number;

  /** `putsMax`: writes of one commit. */
  constructor(environment: Environment, take: TakeWrites, applied: Applied, putsMax: number) {
    this.#environment = environment;
    this.#take = take;
    this.#applied = applied;
    this.#putsMax = putsMax;
  }

  /** Commits the next group; resolves with whether it was the last. Rejects when the environment has failed, which has called `onFatal` then. */
  commit(): Promise<boolean> {
    const { writes, isLast } = this.#take(this.#putsMax);
    if (isLast) writes.push(appliedWrite(this.#applied));
    return this.#environment.commit(writes).then(() => isLast);
  }
}
