/**
 * Long work is written as steps: a generator that yields, without a value, where other turns may run
 * (docs/contract/common.md §8.3: at most 10 ms). A driver takes the steps; README.md says which driver for which work.
 */
import { limits } from '#config/limits.ts';
import type { FineClock } from '../clock.ts';
import { Budget } from './budget.ts';
import { hasFuelForRow, inFuel } from './fuel.ts';

/** When `Wait` is a promise, a step may also end with a promise that the work waits for: the next step gets its value. */
export type Steps<T, Wait = void> = Generator<Wait, T, unknown>;

/** What a driver needs of the owner of the work. */
export interface Turns {
  readonly clock: FineClock;
  /** Lets other turns of this thread run. */
  yieldTurn(): Promise<void>;
}

/** An owner that can keep all other calls of its tenant out until its turn ends. */
export interface Holder extends Turns {
  hold(): void;
  turn(): { prepare(): Steps<void> };
}

/** When a slice of steps ends. */
interface SliceSteps {
  readonly sliceStepsMax: number;
  readonly sliceMsMax: number;
}

/** How many steps a turn takes, and when a slice of the further steps ends. */
export interface StepBounds extends SliceSteps {
  readonly turnStepsMax: number;
}

/** The work has taken longer than a snapshot may live. */
export class TookTooLong extends Error {
  constructor() {
    super(`longer than ${limits.storage.snapshotMsMax} ms`);
  }
}

/** At one stretch, without a bound and unmetered: where no caller waits, as on the command line. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** At one stretch within the turn; null when there are more steps than a turn may take: the caller then drops the turn. */
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

/**
 * Takes all steps of a mutation: synchronously unless there are many. Many steps hold the tenant and go on in slices, and the commit of
 * what they staged is prepared in slices too. Each step has the fuel of a stretch. The caller answers only when the result exists.
 */
export function takeSteps<T>(who: Holder, steps: Steps<T>, bounds: StepBounds = limits.data): T | Promise<T> {
  const now = takeStepsNow(steps, bounds);
  if (now !== null) return now.result;
  who.hold();
  return holding(who, steps, bounds);
}

async function holding<T>(who: Holder, steps: Steps<T>, bounds: StepBounds): Promise<T> {
  const result = await stepByStep(who, steps, bounds);
  await prepareCommit(who, bounds);
  return result;
}

/** Prepares in slices, while it holds the tenant, a commit that is too much for one turn. */
export function prepareCommit(who: Holder, bounds: StepBounds = limits.data): Promise<void> {
  return stepByStep(who, who.turn().prepare(), bounds);
}

function stepByStep<T>(who: Turns, steps: Steps<T>, bounds: SliceSteps): Promise<T> {
  return behindOthers(sliceOf(who, steps, bounds), () => who.yieldTurn());
}

/** Takes all steps of what is made beside the turn and stages nothing: the first slice at once, each further one behind other turns. Each step has the fuel of a stretch. */
export async function makeInSlices<T>(who: Turns, steps: Steps<T>, sliceStepsMax: number): Promise<T> {
  const bounds = { sliceStepsMax, sliceMsMax: limits.data.sliceMsMax };
  return sliceBySlice(sliceOf(who, steps, bounds), () => who.yieldTurn());
}

function sliceOf<T>(who: Turns, steps: Steps<T>, { sliceStepsMax, sliceMsMax }: SliceSteps) {
  const budget = new Budget(who.clock, { sliceReadMsMax: sliceMsMax, sliceRowsMax: sliceStepsMax });
  return (): IteratorResult<void, T> => takeSlice(() => inFuel(() => steps.next()), budget);
}

/** Takes steps until a slice of them is full, or they end; gives the last. */
export function takeSlice<T>(step: () => IteratorResult<void, T>, budget: Budget): IteratorResult<void, T> {
  budget.next();
  for (;;) {
    const taken = step();
    if (taken.done === true || budget.spend(1)) return taken;
  }
}

/** Takes the first slice at once, and each further one behind other turns. */
export function sliceBySlice<T>(slice: () => IteratorResult<void, T>, others: () => Promise<void>): T | Promise<T> {
  const taken = slice();
  return taken.done === true ? taken.value : behindOthers(slice, others);
}

async function behindOthers<T>(slice: () => IteratorResult<void, T>, others: () => Promise<void>): Promise<T> {
  for (;;) {
    await others();
    const taken = slice();
    if (taken.done === true) return taken.value;
  }
}

/**
 * Takes steps that spend `budget` themselves, so that each is a slice, with the fuel of one stretch; the first follows `first`, if given.
 * Throws TookTooLong when they outlive a snapshot, and OutOfFuel when one step burns more than a slice may.
 */
export async function inSlices<T, Wait extends Promise<unknown> | void>(
  who: Turns,
  budget: Budget,
  steps: Steps<T, Wait>,
  first?: Promise<unknown>,
): Promise<T> {
  const end = who.clock.now() + limits.storage.snapshotMsMax;
  let given: unknown = first === undefined ? undefined : await first;
  for (;;) {
    budget.next();
    const step = inFuel(() => steps.next(given));
    if (step.done === true) return step.value;
    given = await (step.value ?? who.yieldTurn());
    if (who.clock.now() > end) throw new TookTooLong();
  }
}

/** As `inSlices`, over a view of one snapshot, which is closed at the end, whether the work succeeds or not. */
export async function overSnapshot<View extends { close(): void }, T, Wait extends Promise<unknown> | void>(
  who: Turns,
  budget: Budget,
  view: View,
  work: (view: View) => Steps<T, Wait>,
  first?: Promise<unknown>,
): Promise<T> {
  const steps = work(view);
  try {
    return await inSlices(who, budget, steps, first);
  } finally {
    steps.return(undefined as T);
    view.close();
  }
}
