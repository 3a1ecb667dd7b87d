/**
 * Mutations that may be long are written as steps of about one row each. Most end within the turn; a long one holds its tenant
 * and goes on in slices between which other tenants' turns run. What it staged stays in its turn: all of it joins or nothing.
 */
import { hasFuelForRow, inFuel } from '#actors/kit/pace/fuel.ts';
import { limits } from '#config/limits.ts';
import type { Session } from './session.ts';

export type Steps<T> = Generator<void, T, void>;

/** How many steps the turn takes, and when a slice of the steps behind them ends. */
export interface StepBounds {
  readonly turnStepsMax: number;
  readonly sliceStepsMax: number;
  readonly sliceMsMax: number;
}

/** Takes all steps within the turn; null when there are more than a turn may take, and the caller drops the turn then. */
export function takeStepsNow<T>(
  steps: Steps<T>,
  { turnStepsMax }: StepBounds = limits.data,
): { readonly result: T } | null {
  return inFuel(() => {
    for (let taken = 0; taken < turnStepsMax && hasFuelForRow(); taken++) {
      const step = steps.next();
      if (step.done === true) return { result: step.value };
    }
    return null;
  });
}

/** Takes all steps: synchronously unless there are many. The caller answers only when the result is there. */
export function takeSteps<T>(session: Session, steps: Steps<T>, bounds: StepBounds = limits.data): T | Promise<T> {
  const now = takeStepsNow(steps, bounds);
  if (now !== null) return now.result;
  session.hold();
  return inSlices(session, steps, bounds);
}

async function inSlices<T>(session: Session, steps: Steps<T>, bounds: StepBounds): Promise<T> {
  const result = await allOf(session, steps, bounds);
  await prepareCommit(session, bounds);
  return result;
}

/** Makes ready, in slices, the commit of what is staged where it is too much for one turn. The session holds its tenant. */
export function prepareCommit(session: Session, bounds: StepBounds = limits.data): Promise<void> {
  return allOf(session, session.turn().prepare(), bounds);
}

async function allOf<T>(session: Session, steps: Steps<T>, { sliceStepsMax, sliceMsMax }: StepBounds): Promise<T> {
  for (;;) {
    await session.yieldTurn();
    const end = session.clock.fine() + sliceMsMax;
    for (let taken = 0; taken < sliceStepsMax && session.clock.fine() < end; taken++) {
      const step = inFuel(() => steps.next());
      if (step.done === true) return step.value;
    }
  }
}
