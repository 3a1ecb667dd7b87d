/** What locks, seeds and retention of a tenant answer, at the tenant and to operators over it (docs/contract/data-admin.md §4, §5, §6). */
import { z } from 'zod';
import type { BodyOf } from './body.ts';

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

export const phase = z.enum(['anonymize', 'archive', 'archive_delete', 'purge']);
const eligible = z.record(z.string(), z.partialRecord(phase, z.int()));

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
