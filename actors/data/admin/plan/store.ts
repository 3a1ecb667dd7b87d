/** Ledger rows and the progress of steps, in the tenant's datastore. */
import { TABLES } from '#storage/catalogue.ts';
import type { Bytes, Reader, Turn } from '#storage/port.ts';
import { Table } from '#storage/table.ts';
import type { PlanRecord, StepRecord } from './ledger.ts';

export type { Bytes, Entry, Reader, Turn } from '#storage/port.ts';

const plans = new Table<PlanRecord>('plan', TABLES.plan);
const steps = new Table<StepRecord>('plan_step', TABLES.plan_step);
const places = new Table<Progress>('plan_progress', TABLES.plan_progress);

/** How far a step in slices has come. */
export interface Progress {
  /** The index or the slot that is being filled: progress of another one counts for nothing. */
  readonly no: number;
  /** Where the next slice begins. */
  readonly from: Bytes;
}

export function findPlan(reader: Reader, id: string): PlanRecord | undefined {
  return plans.get(reader, id);
}

export function putPlan(turn: Turn, plan: PlanRecord): void {
  plans.put(turn, plan, plan.PlanID);
}

/** In their order. */
export function stepsOf(reader: Reader, id: string): StepRecord[] {
  return [...steps.scan(reader, [id])];
}

export function putStep(turn: Turn, step: StepRecord): void {
  steps.put(turn, step, step.PlanID, step.StepOrder);
}

export function progressOf(reader: Reader, { PlanID, StepOrder }: StepRecord): Progress | undefined {
  return places.get(reader, PlanID, StepOrder);
}

export function putProgress(turn: Turn, { PlanID, StepOrder }: StepRecord, progress: Progress): void {
  places.put(turn, progress, PlanID, StepOrder);
}

export function dropProgress(turn: Turn, { PlanID, StepOrder }: StepRecord): void {
  places.del(turn, PlanID, StepOrder);
}
