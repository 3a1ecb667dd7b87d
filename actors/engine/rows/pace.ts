/** Work in slices: a generator yields where other turns may run, and says no more than that it did (docs/contract/common.md §8.3: at most 10 ms). */
import { limits } from '#config/limits.ts';
import { hasFuelForRow, inFuel, OutOfFuel } from '#actors/kit/pace/fuel.ts';
import { failure } from './failure.ts';
import type { Failure } from './failure.ts';
import type { Session } from './session.ts';
import type { Reader } from './store.ts';

export type Steps<T> = Generator<undefined, T, undefined>;

/** How much of a slice is left. */
export class Pace {
  readonly #session: Session;
  readonly #rows: number;
  #left: number;
  #end: number;

  constructor(session: Session, rows: number) {
    this.#session = session;
    this.#rows = rows;
    this.#left = rows;
    this.#end = session.clock.fine() + limits.data.sliceMsMax;
  }

  /** Counts rows that were looked at; true when the slice is used up, by rows or by time. */
  spend(rows: number): boolean {
    this.#left -= rows;
    if (this.#session.clock.fine() >= this.#end) this.#left = 0;
    return this.isSpent;
  }

  /** Whether the slice was used up when it was last asked, or has not the fuel for one more row. */
  get isSpent(): boolean {
    return this.#left <= 0 || !hasFuelForRow();
  }

  /** Begins the next slice. */
  next(): void {
    this.#left = this.#rows;
    this.#end = this.#session.clock.fine() + limits.data.sliceMsMax;
  }
}

export type Job<T> = (reader: Reader, pace: Pace) => Steps<T>;

/**
 * Does a job within this turn when it fits in; else from the beginning, over one snapshot, in slices. `long` says that it is
 * known not to fit. 500 for a job that outlives its snapshot, 422 where one row of it burns more than a slice may.
 */
export function inSlices<T>(session: Session, long: boolean, job: Job<T>): T | Failure | Promise<T | Failure> {
  if (!long) {
    const step = withinTurn(session, job);
    if (step?.done === true) return step.value;
  }
  return overSnapshot(session, job);
}

/** Null when the turn's fuel does not do. */
function withinTurn<T>(session: Session, job: Job<T>): IteratorResult<undefined, T> | null {
  const steps = job(session.turn(), new Pace(session, limits.data.turnScanRowsMax));
  try {
    return inFuel(() => steps.next());
  } catch (error) {
    if (error instanceof OutOfFuel) return null;
    throw error;
  } finally {
    steps.return(undefined as T);
  }
}

async function overSnapshot<T>(session: Session, job: Job<T>): Promise<T | Failure> {
  if (!hasFuelForRow()) await session.yieldTurn();
  const snapshot = session.snapshot();
  const end = session.clock.now() + limits.storage.snapshotMsMax;
  const pace = new Pace(session, limits.data.sliceScanRowsMax);
  const steps = job(snapshot, pace);
  try {
    for (;;) {
      const step = inFuel(() => steps.next());
      if (step.done === true) return step.value;
      await session.yieldTurn();
      if (session.clock.now() > end)
        return failure(500, `the query took longer than ${limits.storage.snapshotMsMax} ms`);
      pace.next();
    }
  } catch (error) {
    if (error instanceof OutOfFuel)
      return failure(422, 'one row of the query costs more than may be done at a stretch');
    throw error;
  } finally {
    steps.return(undefined as T);
    snapshot.close();
  }
}
