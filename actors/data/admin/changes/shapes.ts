/** Bodies about consumer groups (docs/contract/changes.md §8.4). */
import { z } from 'zod';

const listed = { tenant: z.string(), datastore: z.string() } as const;

export const groupList = z.object({
  ...listed,
  groups: z.array(
    z.object({
      name: z.string(),
      declared: z.boolean().describe('Whether the product declares it; the others are left of an earlier one.'),
      entity: z.string().nullable(),
      services: z.boolean(),
      roles: z.array(z.string()),
      shared: z.boolean(),
      after: z.int().nullable().describe('Its place; null where nothing has been acknowledged.'),
      over: z.boolean().describe('Whether the place is too old to go on from, or cannot be read.'),
      acknowledged_at: z.string().nullable(),
      acknowledged_by: z.string().nullable().describe('Who moved it last, and has it unless it is shared.'),
    }),
  ),
});

export const groupRemoved = z.object({
  ...listed,
  name: z.string(),
  after: z.int().nullable().describe('The place that it had; null where it could not be read.'),
});
