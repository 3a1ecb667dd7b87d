/** Bodies about triggers and their events (docs/contract/triggers.md §4). */
import { z } from 'zod';
import { TRIGGER_EVENTS } from '#config/definitions/trigger-shapes.ts';

const listed = { tenant: z.string(), datastore: z.string() } as const;
const kind = z.enum(['webhook', 'mail', 'script']);

export const triggerList = z.object({
  ...listed,
  triggers: z.array(
    z.object({
      name: z.string(),
      entity: z.string().nullable(),
      events: z.array(z.enum(TRIGGER_EVENTS)),
      kind,
      role: z.string().nullable(),
      action: z.string().nullable(),
      cron: z.string().nullable(),
      timezone: z.string().nullable(),
      next_at: z.string().nullable(),
      form: z.string().nullable(),
      row: z.object({ entity: z.string(), fields: z.record(z.string(), z.string()) }).nullable(),
      waiting: z.int(),
      delivered: z.int(),
      failed: z.int(),
      dropped: z.int(),
    }),
  ),
});

export const eventList = z.object({
  ...listed,
  events: z.array(
    z.object({
      id: z.string(),
      trigger: z.string(),
      kind,
      entity: z.string().nullable(),
      event: z.enum([...TRIGGER_EVENTS, 'due', 'submitted']),
      key: z.string().nullable(),
      version: z.int(),
      due: z.string().nullable(),
      at: z.string(),
      depth: z.int(),
      outcome: z.enum(['waiting', 'refused', 'failed', 'dropped']),
      attempts: z.int(),
      status: z.int().nullable(),
      error: z.string().nullable(),
      next_at: z.string().nullable(),
      ended_at: z.string().nullable(),
    }),
  ),
});

export const eventRetried = z.object({ ...listed, id: z.string(), retried: z.boolean() });
export const eventDropped = z.object({ ...listed, id: z.string(), dropped: z.boolean() });
