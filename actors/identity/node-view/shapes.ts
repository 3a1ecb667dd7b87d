/** Answers of the routes that show the node. Spec: docs/contract/node.md. */
import { z } from 'zod';
import { DEGRADED_SCOPES } from '#actors/protocol/degraded.ts';
import { THREAD_STATES, UNREADY } from '#actors/protocol/node-view.ts';

const count = z.int().min(0);

const thread = z.object({
  name: z.string(),
  state: z.enum(THREAD_STATES),
  since: z.string().nullable(),
  restarts: count,
  quiet_ms: count,
});

const host = z.object({
  name: z.string(),
  shards: z.array(count),
  tenants_awake: count,
  waiting: count,
  journal_bytes: count,
  journal_syncs: count,
  overlay_entries: count,
  lag_records: count,
});

const journalCopy = z.object({
  every_seconds: z.number(),
  copied_at: z.string().nullable(),
  failed: z.string().nullable(),
  gaps: count,
});

const degraded = z.object({
  scope: z.enum(DEGRADED_SCOPES),
  name: z.string(),
  reason: z.string(),
  concerns: z.literal('all').optional(),
  since: z.string(),
});

export const healthReply = z.object({
  ready: z.boolean(),
  reasons: z.array(z.enum(UNREADY)),
  version: z.string(),
  started_at: z.string(),
  threads: z.array(thread),
  spare: z.boolean(),
  hosts: z.array(host),
  journal_copy: journalCopy.nullable(),
  disk: z.object({ free_bytes: count.nullable(), free_bytes_min: count }),
  degraded: z.array(degraded),
  degraded_more: count,
});
