/** A kept plan and its steps as data's ledger shows them (docs/contract/data-admin.md §3.5). */
import { z } from 'zod';

const text = z.string();
const time = text.nullable();

const step = z.object({
  ID: text,
  PlanID: text,
  StepOrder: z.int(),
  Kind: z.enum(['schema', 'data']),
  SchemaOp: text,
  Entity: text,
  Identifier: text,
  SQL: text,
  Checksum: text,
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

const plan = z.object({
  ID: text,
  PlanID: text,
  Source: z.literal('yaml'),
  Status: z.enum(['generated', 'applied', 'partial', 'failed', 'halted', 'dry_run']),
  Trigger: z.enum(['http', 'cli']),
  TriggeredBy: text,
  MaxRisk: z.enum(['low', 'medium', 'high']),
  StartedAt: time,
  FinishedAt: time,
  AppliedCount: z.int(),
  FailedCount: z.int(),
  TotalSteps: z.int(),
  Notes: text,
  CreatedOn: text,
});

export const ledgerPlan = z.object({ tenant: text, plan, steps: z.array(step) });
