/** Bodies of locks, seeds, retention, handoff and materialized fields (data.md "Seeds", "Retention", "Lock", "Materialize task"). */
import { z } from 'zod';
import { limits } from '#config/limits.ts';
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
export const seedList = z.object({
  ...listed,
  seeds: z.array(
    z.object({
      name: z.string(),
      entity: z.string(),
      source: z.string(),
      strategy: z.enum(['insert', 'upsert', 'replace']),
      status: z.enum(['pending', 'applied', 'failed']),
      applied_at: z.string().optional(),
      applied_checksum: z.string().optional(),
      error: z.string().optional(),
    }),
  ),
});
