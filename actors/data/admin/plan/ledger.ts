/** The ledger of plans and their steps, under the names that the contract gives their fields (docs/contract/data-admin.md §3.5). Pure. */
import { hash } from 'node:crypto';
import type { Change } from '#actors/engine/schema/change.ts';
import type { StoredSchema } from '#actors/engine/schema/stored.ts';
import { settled } from '#actors/engine/schema/alter.ts';
import type { Described, Risk } from './describe.ts';
import type { LedgerPlan, LedgerStep, PlannedStep } from './shapes.ts';

/** docs/contract/data-admin.md §3.4. */
export type PlanStatus = 'generated' | 'applied' | 'partial' | 'failed' | 'halted' | 'dry_run';
export type StepStatus = 'pending' | 'applied' | 'failed' | 'halted';

export interface PlanRecord {
  readonly ID: string;
  readonly PlanID: string;
  readonly Source: 'yaml';
  readonly Status: PlanStatus;
  readonly Trigger: 'http' | 'cli';
  readonly TriggeredBy: string;
  readonly MaxRisk: Risk;
  readonly StartedAt: string | null;
  readonly FinishedAt: string | null;
  readonly AppliedCount: number;
  readonly FailedCount: number;
  readonly TotalSteps: number;
  readonly Notes: string;
  readonly CreatedOn: string;
  /** Fingerprint of the stored schema when the plan was made, and after each of its steps. */
  readonly schema: string;
  /** What the definitions asked for when the plan was made. */
  readonly declared: string;
  /** The kept revision that the plan leads to; absent where that is the checkout as it is when the plan is applied. */
  readonly revision?: string;
}

export interface StepRecord extends Omit<Described, 'Expected'> {
  readonly ID: string;
  readonly PlanID: string;
  readonly StepOrder: number;
  readonly ExpectedResult: string;
  readonly Checksum: string;
  readonly Status: StepStatus;
  readonly StartedAt: string | null;
  readonly FinishedAt: string | null;
  readonly DurationMs: number;
  readonly Error: string;
  readonly Attempt: number;
  readonly SourceURI: string;
  readonly CreatedOn: string;
  readonly change: Change;
}

/** SHA-256 of everything that the step says and does. */
export function checksumOf(
  order: number,
  { Kind, SchemaOp, Entity, Identifier, SQL, Risk: risk }: Described,
  change: Change,
): string {
  return sha256([order, Kind, SchemaOp, Entity, Identifier, SQL, risk, change]);
}

/** Whether a step is as it was made, and so as it was reviewed. */
export function isGenuine(step: StepRecord): boolean {
  const described: Described = { ...step, Expected: step.ExpectedResult };
  return checksumOf(step.StepOrder, described, step.change) === step.Checksum;
}

/** SHA-256 of the stored schema, without what a step under way has begun. */
export function fingerprintOf(schema: StoredSchema): string {
  const { entities } = settled(schema);
  return sha256(
    entities.map(({ name, table, fields, indexes }) => [
      name,
      table,
      fields.map((field) => [field.name, field.type, field.slot, field.absent, field.rules ?? null]),
      indexes.map(({ no, unique, fields: names }) => [no, unique, names]),
    ]),
  );
}

const sha256 = (value: unknown): string => hash('sha256', JSON.stringify(value), 'hex');

/** A plan as the contract shows it. */
export function showPlan({
  schema: _schema,
  declared: _declared,
  revision: _revision,
  ...plan
}: PlanRecord): LedgerPlan {
  return plan;
}

/** A step of the ledger as the contract shows it. */
export function showStep(step: StepRecord): LedgerStep {
  const { Risk: _risk, Notes: _notes, Transactional: _transactional, change: _change, ...shown } = step;
  return shown;
}

/** A step of a plan that was just made. */
export function showPlanned(step: StepRecord): PlannedStep {
  const {
    StepOrder,
    Kind,
    SchemaOp,
    Entity,
    Identifier,
    SQL,
    ExpectedResult,
    Risk: risk,
    Notes,
    Transactional,
    Checksum,
  } = step;
  return {
    Order: StepOrder,
    Kind,
    SchemaOp,
    Entity,
    Identifier,
    SQL,
    Expected: ExpectedResult,
    Risk: risk,
    Notes,
    Transactional,
    Checksum,
  };
}
