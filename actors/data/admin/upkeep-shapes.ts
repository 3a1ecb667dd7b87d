/** Bodies of locks, seeds, retention, handoff and materialized fields (docs/contract/data-admin.md §4, §5, §6, §7). */
import { z } from 'zod';
import { limits } from '#config/limits.ts';
import { phase } from '#actors/protocol/upkeep-shapes.ts';
import { bodyShape } from './read-body.ts';

const listed = { tenant: z.string(), datastore: z.string() } as const;

const names = (most: number) => z.array(z.string().min(1)).max(most).optional();

export const seedRun = bodyShape({
  names: names(limits.seeds.namesMax),
  environment: z.string().optional(),
  dry_run: z.boolean().optional(),
  force: z.boolean().optional(),
});
export const retentionRun = bodyShape({
  entities: names(limits.retention.namesMax),
  phases: z.array(phase).max(limits.retention.namesMax).optional(),
  dry_run: z.boolean().optional(),
  batch_size: z.int().min(1).max(limits.retention.batchRowsMax).optional(),
  max_rows_per_pass: z.int().min(1).max(limits.retention.passRowsMax).optional(),
  grace_hours: z.number().max(limits.retention.graceHoursMax).optional(),
});
export const archiveList = z.object({
  ...listed,
  archives: z.array(
    z.object({ name: z.string(), type: z.string(), suffix: z.string(), settings: z.record(z.string(), z.unknown()) }),
  ),
});
const text = z.string().max(limits.handoff.textCharsMax);

export const handoffClaim = bodyShape({
  target_name: z.string().optional(),
  entity: z.string().optional(),
  limit: z.int().min(1).max(limits.handoff.claimRowsMax).optional(),
  claimer_id: text.optional(),
});
export const handoffClaimed = z.object({
  claimed: z.array(
    z.object({
      handoff_id: z.string(),
      entity: z.string(),
      row_pk: z.string(),
      target_name: z.string(),
      target_type: z.string(),
    }),
  ),
});
export const handoffConfirm = bodyShape({
  confirmations: z
    .array(
      z.strictObject({
        handoff_id: z.string().min(1),
        target_location: text.optional(),
        checksum: text.optional(),
        failed: z.boolean().optional(),
        error: text.optional(),
      }),
    )
    .max(limits.handoff.confirmationsMax)
    .optional(),
});
export const handoffConfirmed = z.object({ confirmed: z.int(), failed: z.int() });
export const handoffPending = z.object({
  ...listed,
  buckets: z.array(
    z.object({
      entity: z.string(),
      target_name: z.string(),
      status: z.enum(['pending', 'claimed', 'confirmed', 'failed']),
      count: z.int(),
      oldest_age_seconds: z.int(),
    }),
  ),
});

export const pendingTasks = z.object({
  ...listed,
  count: z.int(),
  tasks: z.array(
    z.object({
      id: z.string(),
      target_entity: z.string(),
      target_field: z.string(),
      target_row_id: z.string(),
      source_entity: z.string(),
      source_op: z.enum(['create', 'update', 'delete', 'fill']),
      enqueued_at: z.string(),
      attempts: z.int(),
    }),
  ),
});
export const materializeStats = z.object({
  ...listed,
  counts: z.object({ pending: z.int(), running: z.int(), failed: z.int() }),
  runner: z
    .object({ state: z.enum(['idle', 'waiting', 'draining']), last_drain_at: z.string().nullable(), drained: z.int() })
    .optional(),
});
export const drained = z.object({ ...listed, dispatched: z.int() });
