/** Runs a read within its turn; if it does not fit, again from the beginning, in slices over one snapshot. */
import { Budget } from '#actors/kit/pace/budget.ts';
import type { SliceBound } from '#actors/kit/pace/budget.ts';
import { hasFuelForRow, inFuel, OutOfFuel } from '#actors/kit/pace/fuel.ts';
import { overSnapshot, TookTooLong } from '#actors/kit/pace/steps.ts';
import type { Steps } from '#actors/kit/pace/steps.ts';
import { limits } from '#config/limits.ts';
import { failure } from './failure.ts';
import type { Failure } from './failure.ts';
import type { Session } from './session.ts';
import type { Reader } from './store.ts';

const TURN: SliceBound = { sliceReadMsMax: limits.data.sliceMsMax, sliceRowsMax: limits.data.turnScanRowsMax };

/** The bound of a slice of a long read, and of the work on its rows. */
export const READ_SLICE: SliceBound = {
  sliceReadMsMax: limits.data.sliceMsMax,
  sliceRowsMax: limits.data.sliceScanRowsMax,
};

export type Job<T> = (reader: Reader, pace: Budget) => Steps<T>;

/** `long`: the job is known not to fit into the turn. 500 for a job that outlives its snapshot, 422 where one row burns more fuel than a slice has. */
export function readInSlices<T>(session: Session, long: boolean, job: Job<T>): T | Failure | Promise<T | Failure> {
  if (!long) {
    const step = withinTurn(session, job);
    if (step?.done === true) return step.value;
  }
  return readOverSnapshot(session, job);
}

/** Null when the turn's fuel does not suffice. */
function withinTurn<T>(session: Session, job: Job<T>): IteratorResult<void, T> | null {
  const steps = job(session.turn(), new Budget(session.clock, TURN));
  try {
    return inFuel(() => steps.next());
  } catch (error) {
    if (error instanceof OutOfFuel) return null;
    throw error;
  } finally {
    steps.return(undefined as T);
  }
}

async function readOverSnapshot<T>(session: Session, job: Job<T>): Promise<T | Failure> {
  if (!hasFuelForRow()) await session.yieldTurn();
  const budget = new Budget(session.clock, READ_SLICE);
  try {
    return await overSnapshot(session, budget, session.snapshot(), (reader) => job(reader, budget));
  } catch (error) {
    if (error instanceof TookTooLong)
      return failure(500, `the query took longer than ${limits.storage.snapshotMsMax} ms`);
    if (error instanceof OutOfFuel)
      return failure(422, 'one row of the query costs more than may be done at a stretch');
    throw error;
  }
}
