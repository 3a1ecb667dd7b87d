/** Bodies of plans (docs/contract/data-admin.md §3). */
import { z } from 'zod';
import type { BodyOf } from '#actors/protocol/body.ts';

const risk = z.enum(['low', 'medium', 'high']);
const text = z.string();
const time = z.string().nullable();

export const planGenerate = z.object({ datastore: text.optional(), allow_drops: z.boolean().optional() });
export const planApply = z.object({
  datastore: text.optional(),
  confirm_max_risk: z.enum(['low', 'medium', 'high', '']).optional(),
  dry_run: z.boolean().optional(),
});

const described = {
  Kind: z.enum(['schema', 'data']),
  SchemaOp: text,
  Entity: text,
  Identifier: text,
  SQL: text,
  Checksum: text,
} as const;

const plannedStep = z.object({
  Order: z.int(),
  ...described,
  Expected: text,
  Risk: risk,
  Notes: text,
  Transactional: z.boolean(),
});
export type PlannedStep = BodyOf<typeof plannedStep>;

export const generatedPlan = z.object({
  plan_id: text,
  source: z.literal('yaml'),
  max_risk: risk,
  warnings: z.array(text).optional(),
  refusals: z.array(text).optional(),
  steps: z.array(plannedStep),
});

const ledgerStep = z.object({
  ID: text,
  PlanID: text,
  StepOrder: z.int(),
  ...described,
  ExpectedResult: text,
  Status: z.enum(['pending', 'applied', 'failed', 'halted']),
  StartedAt: time,
  FinishedAt: time,
  DurationMs: z.number(),
  Error: text,
  Attempt: z.int(),
  SourceURI: text,
  CreatedOn: text,
});

export type LedgerStep = BodyOf<typeof ledgerStep>;

const planStatus = z.enum(['generated', 'applied', 'partial', 'failed', 'halted', 'dry_run']);

const plan = z.object({
  ID: text,
  PlanID: text,
  Source: z.literal('yaml'),
  Status: planStatus,
  Trigger: z.enum(['http', 'cli']),
  TriggeredBy: text,
  MaxRisk: risk,
  StartedAt: time,
  FinishedAt: time,
  AppliedCount: z.int(),
  FailedCount: z.int(),
  TotalSteps: z.int(),
  Notes: text,
  CreatedOn: text,
});
export type LedgerPlan = BodyOf<typeof plan>;
export const ledgerPlan = z.object({ tenant: text, plan, steps: z.array(ledgerStep) });

export const appliedSteps = z.object({ tenant: text, plan_id: text, steps: z.array(ledgerStep) });

export const appliedPlan = z.object({
  plan_id: text,
  status: planStatus,
  steps_applied: z.int(),
  steps_failed: z.int(),
  steps_skipped: z.int(),
  failed_step: z.int().optional(),
  halted_step: z.int().optional(),
  error: text.optional(),
});
