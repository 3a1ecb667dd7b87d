/**
 * Writes of the log on their way into an environment: in groups, one commit each, and the last one also says how far the environment is then. All that brings records into LMDB goes
 * this way: the follower of a live journal, the replay after a crash, and a standby. Writes are absolute, so an environment that stopped between two groups lies between two numbers,
 * and a replay from the older one ends at the same state.
 */
import type { SweepMarks } from './applied.ts';
import type { Environment, Write } from './environment.ts';

/** Gives the next writes in key order, at most `max`, and whether they are the last ones. */
export type TakeWrites = (max: number) => { readonly writes: Write[]; readonly isLast: boolean };

export class Sweep {
  readonly #environment: Environment;
  readonly #take: TakeWrites;
  readonly #marks: SweepMarks;
  readonly #putsMax: number;
  #hasBegun = false;

  /** `putsMax`: writes of one commit. */
  constructor(environment: Environment, take: TakeWrites, marks: SweepMarks, putsMax: number) {
    this.#environment = environment;
    this.#take = take;
    this.#marks = marks;
    this.#putsMax = putsMax;
  }

  /** Commits the next group; resolves with whether it was the last. Rejects when the environment has failed, which has called `onFatal` then. */
  commit(): Promise<boolean> {
    const { writes, isLast } = this.#take(this.#putsMax);
    if (isLast) writes.push(...this.#marks.last);
    else if (!this.#hasBegun) writes.push(...this.#marks.first);
    this.#hasBegun = true;
    return this.#environment.commit(writes).then(() => isLast);
  }
}
