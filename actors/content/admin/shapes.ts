/** What a tenant's administrators are told of its content (docs/contract/content.md §6.1). */
import { z } from 'zod';
import { CONTENT_EVENTS } from '#config/definitions/content/shapes.ts';
import type { BodyOf } from '#actors/protocol/body.ts';

const hook = z.object({
  name: z.string(),
  host: z.string().describe('Where deliveries go; the rest of the address may hold a secret.'),
  events: z.array(z.enum(CONTENT_EVENTS)).describe('Empty means all.'),
  active: z.boolean(),
});

export const apps = z.object({
  apps: z.array(
    z.object({
      name: z.string(),
      active: z.boolean(),
      faulty: z.boolean().describe('A rule of its declaration does not compile: it is not served.'),
      contentstore: z.string().nullable(),
      locale: z.object({ default: z.string(), supported: z.array(z.string()) }).nullable(),
      versioned: z.boolean(),
      preview: z.boolean().describe('It has a secret, with which tokens are made.'),
      types: z.array(
        z.object({ name: z.string(), entity: z.string(), fields: z.int().describe('How many it declares.') }),
      ),
      webhooks: z.array(hook),
    }),
  ),
});
export type ShownApp = BodyOf<typeof apps>['apps'][number];

/** As `/data/schema` describes a field (docs/contract/data.md §8.1). */
const field = z.looseObject({
  name: z.string(),
  type: z.string(),
  required: z.boolean(),
  nullable: z.boolean(),
  read_only: z.boolean().describe('Kept by the service.'),
  localized: z.boolean().describe('Each locale has its own value.'),
});
export type ShownField = BodyOf<typeof field>;

export const type = z.object({
  app: z.string(),
  name: z.string(),
  entity: z.string(),
  fields: z.array(field).describe('Those that its file declares, in their order.'),
});

export const OUTCOMES = ['waiting', 'delivered', 'refused', 'failed', 'dropped'] as const;
export type Outcomes = (typeof OUTCOMES)[number];

const delivery = z.object({
  id: z.string(),
  app: z.string(),
  webhook: z.string(),
  event: z.string(),
  entity: z.string(),
  type: z.string(),
  documents: z.array(z.string()).describe('The first of their ids.'),
  documents_count: z.int(),
  at: z.string(),
  outcome: z.enum(OUTCOMES),
  attempts: z.int().nullable().describe('Not known before it ends.'),
  status: z.int().nullable().describe('Of the last answer of its receiver.'),
  error: z.string().nullable(),
  ended_at: z.string().nullable(),
});
export type ShownDelivery = BodyOf<typeof delivery>;

export const deliveries = z.object({
  count: z.object({
    waiting: z.int(),
    logged: z.int(),
    dropped: z.int().describe('Since the tenant was made: the outbox was full.'),
  }),
  deliveries: z.array(delivery),
  page: z.object({ has_next_page: z.boolean(), end_cursor: z.string().nullable() }),
});

export const redelivered = z.object({ id: z.string(), redelivered: z.boolean() });
