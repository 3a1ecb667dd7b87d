/**
 * Mutations that may be long are written as steps of about one row each. Most end within the turn; a long one holds its tenant
 * and goes on in slices between which other tenants' turns run. What it staged stays in its turn: all of it joins or nothing.
 */
import { limits } from '#config/limits.ts';
import type { Session } from './session.ts';

export type Steps<T> = Generator<void, T, void>;

/** Takes all steps within the turn; null when there are more than a turn may take, and the caller drops the turn then. */
export function takeStepsNow<T>(steps: Steps<T>): { readonly result: T } | null {
  for (let taken = 0; taken < limits.data.turnStepsMax; taken++) {
    const step = steps.next();
    if (step.done === true) return { result: step.value };
  }
  return null;
}

/** Takes all steps: synchronously unless there are many. The caller answers only when the result is there. */
export function takeSteps<T>(session: Session, steps: Steps<T>): T | Promise<T> {
  const now = takeStepsNow(steps);
  if (now !== null) return now.result;
  session.hold();
  return inSlices(session, steps);
}

async function inSlices<T>(session: Session, steps: Steps<T>): Promise<T> {
  const result = await allOf(session, steps);
  await allOf(session, session.turn().prepare()); // what is staged is too much for one turn's commit
  return result;
}

async function allOf<T>(session: Session, steps: Steps<T>): Promise<T> {
  for (;;) {
    await session.yieldTurn();
    const end = session.clock.now() + limits.data.sliceMsMax;
    for (let taken = 0; taken < limits.data.sliceStepsMax && session.clock.now() < end; taken++) {
      const step = steps.next();
      if (step.done === true) return step.value;
    }
  }
}
