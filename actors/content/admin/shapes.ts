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
