/** Bodies of the data service as OpenAPI shows them (data.md "Resources and their fields"). */
import { z } from 'zod';

export const row = z.record(z.string(), z.unknown()).describe('A row; its fields are declared per tenant.');

const stats = z.object({
  sql: z.string().describe('PostgreSQL statement that the request means.'),
  duration_ms: z.number(),
  total_count: z.number().int(),
  include_sql: z.array(z.string()),
  rows_affected: z.number().int(),
  plan: z.record(z.string(), z.unknown()).describe('How the rows were found.').optional(),
});

const meta = z.object({
  entity: z.string(),
  primary_key: z.string(),
  fields: z.array(z.object({ name: z.string(), type: z.string(), required: z.boolean(), nullable: z.boolean() })),
});

export const envelope = z.object({
  data: z.array(row),
  count: z.number().int().describe('Rows in this response.'),
  total: z.number().int().describe('Rows in all, where they are known.').optional(),
  stats: stats.optional(),
  meta: meta.optional(),
  allowed_actions: z.array(z.string()).optional(),
});

export const scripted = z.unknown().describe('What the script answers.');

export const health = z.object({
  healthy: z.boolean(),
  memstats: z.record(z.string(), z.number()).describe('MiB.'),
  NumGC: z.number().int(),
  dependencies: z.record(z.string(), z.object({ State: z.boolean(), Message: z.string() })),
  version: z.literal(''),
  uptime_seconds: z.number(),
});

export const ready = z.string().describe('ready:true or ready:false');
