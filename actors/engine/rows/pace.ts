/** Runs a read within its turn; if it does not fit, again from the beginning in slices over one snapshot, or on over the frozen view that it has. */
import { Budget, type SliceBound } from '#actors/kit/pace/budget.ts';
import { hasFuelForRow, inFuel, OutOfFuel } from '#actors/kit/pace/fuel.ts';
import { inSlices, overSnapshot, TookTooLong, type Steps } from '#actors/kit/pace/steps.ts';
import { limits } from '#config/limits.ts';
import { failure, type Failure } from './failure.ts';
import type { Session } from './session.ts';
import type { Reader } from './store.ts';

const TURN: SliceBound = { sliceReadMsMax: limits.data.sliceMsMax, sliceRowsMax: limits.data.turnScanRowsMax };

/** The bound of a slice of a long read, and of the work on its rows. */
export const READ_SLICE: SliceBound = {
  sliceReadMsMax: limits.data.sliceMsMax,
  sliceRowsMax: limits.data.sliceScanRowsMax,
};

export type Job<T> = (reader: Reader, pace: Budget) => Steps<T>;

/** `long`: the job is known not to fit into the turn. What has begun over a frozen view goes on there. 500 for a job that outlives its snapshot, 422 where one row burns more fuel than a slice has. */
export function readInSlices<T>(session: Session, long: boolean, job: Job<T>): T | Failure | Promise<T | Failure> {
  if (long) return readOverSnapshot(session, job);
  const budget = new Budget(session.clock, TURN);
  const steps = job(session.turn(), budget);
  const step = firstStep(steps);
  if (step?.done === true) return step.value;
  if (step !== null && session.frozen) return failing(goOn(session, budget, steps));
  steps.return(undefined as T);
  return readOverSnapshot(session, job);
}

/** Null when the turn's fuel does not suffice. */
function firstStep<T>(steps: Steps<T>): IteratorResult<void, T> | null {
  try {
    return inFuel(() => steps.next());
  } catch (error) {
    if (error instanceof OutOfFuel) return null;
    throw error;
  }
}

async function readOverSnapshot<T>(session: Session, job: Job<T>): Promise<T | Failure> {
  const others = session.beginSlices();
  if (others !== null) await others;
  else if (!hasFuelForRow()) await session.yieldTurn();
  const budget = new Budget(session.clock, READ_SLICE);
  return failing(overSnapshot(session, budget, session.snapshot(), (reader) => job(reader, budget)));
}

/** The view that the work began over stays open: the owner of the frozen session closes it. */
async function goOn<T>(session: Session, budget: Budget, steps: Steps<T>): Promise<T> {
  try {
    return await inSlices(session, budget, steps, session.yieldTurn());
  } finally {
    steps.return(undefined as T);
  }
}

async function failing<T>(reading: Promise<T>): Promise<T | Failure> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof TookTooLong)
      return failure(500, `the query took longer than ${limits.storage.snapshotMsMax} ms`);
    if (error instanceof OutOfFuel)
      return failure(422, 'one row of the query costs more than may be done at a stretch');
    throw error;
  }
}
