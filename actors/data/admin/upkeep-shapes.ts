/** Bodies of locks, seeds, retention, handoff and materialized fields (docs/contract/data-admin.md §4, §5, §6, §7). */
import { z } from 'zod';
import { limits } from '#config/limits.ts';
import type { BodyOf } from '#actors/protocol/body.ts';
import { bodyShape } from './read-body.ts';

const listed = { tenant: z.string(), datastore: z.string() } as const;

const lock = z.object({
  id: z.string(),
  resource: z.string(),
  holder_id: z.string(),
  op_kind: z.string(),
  acquired_at: z.string(),
  expires_at: z.string(),
  hostname: z.string(),
  plan_id: z.string(),
  is_expired: z.boolean(),
  seconds_to_expiry: z.int(),
});
export type ShownLock = BodyOf<typeof lock>;
export const lockList = z.object({ ...listed, locks: z.array(lock) });
export const lockReleased = z.object({
  tenant: z.string(),
  resource: z.string(),
  released: z.boolean(),
  note: z.string(),
});

const names = (most: number) => z.array(z.string().min(1)).max(most).optional();

export const seedRun = bodyShape({
  names: names(limits.seeds.namesMax),
  environment: z.string().optional(),
  dry_run: z.boolean().optional(),
  force: z.boolean().optional(),
});
export const seedReport = z.object({
  plan_id: z.string(),
  dry_run: z.boolean(),
  applied_count: z.int(),
  skipped_count: z.int(),
  failed_count: z.int(),
  outcomes: z.array(
    z.object({
      Name: z.string(),
      Status: z.enum(['applied', 'skipped', 'failed']),
      Reason: z.string(),
      Rows: z.int(),
      Duration: z.int(),
    }),
  ),
});
const seed = z.object({
  name: z.string(),
  entity: z.string(),
  source: z.string(),
  strategy: z.enum(['insert', 'upsert', 'replace']),
  status: z.enum(['pending', 'applied', 'failed']),
  applied_at: z.string().optional(),
  applied_checksum: z.string().optional(),
  error: z.string().optional(),
});
export type SeedEntry = BodyOf<typeof seed>;
export const seedList = z.object({ ...listed, seeds: z.array(seed) });

const phase = z.enum(['anonymize', 'archive', 'archive_delete', 'purge']);
const eligible = z.record(z.string(), z.partialRecord(phase, z.int()));

export const retentionRun = bodyShape({
  entities: names(limits.retention.namesMax),
  phases: z.array(phase).max(limits.retention.namesMax).optional(),
  dry_run: z.boolean().optional(),
  batch_size: z.int().min(1).max(limits.retention.batchRowsMax).optional(),
  max_rows_per_pass: z.int().min(1).max(limits.retention.passRowsMax).optional(),
  grace_hours: z.number().max(limits.retention.graceHoursMax).optional(),
});
export const retentionReport = z.object({
  plan_id: z.string(),
  dry_run: z.boolean(),
  total_applied: z.int(),
  total_failed: z.int(),
  entities: z.array(
    z.object({
      Entity: z.string(),
      Anonymized: z.int(),
      Archived: z.int(),
      ArchiveDeleted: z.int(),
      Purged: z.int(),
      FKBlocked: z.int(),
      Errors: z.int(),
    }),
  ),
  eligible: eligible.optional(),
});
export const retentionPreview = z.object({ ...listed, plan_id: z.string(), eligible });

export const archiveList = z.object({
  ...listed,
  archives: z.array(
    z.object({ name: z.string(), type: z.string(), suffix: z.string(), settings: z.record(z.string(), z.unknown()) }),
  ),
});
export const retentionEntities = z.object({
  ...listed,
  entities: z.array(
    z.object({
      entity: z.string(),
      table_name: z.string(),
      pii_fields: z.array(z.string()),
      retention: z.object({
        active: z.string().optional(),
        archive: z.string().optional(),
        archive_to: z.string().optional(),
        age_field: z.string().optional(),
      }),
    }),
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
