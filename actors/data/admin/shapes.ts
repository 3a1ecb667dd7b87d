/** Bodies of the admin and superadmin planes (docs/contract/data-admin.md §8.1, §9). */
import { z } from 'zod';

const referenceAction = z.enum(['cascade', 'setnull', 'restrict', 'noaction']);

/** What every list of the plane begins with. */
const listed = { tenant: z.string(), datastore: z.string() } as const;

export const referenceList = z.object({
  ...listed,
  entity: z.string(),
  count: z.int(),
  references: z.array(
    z.object({
      from_entity: z.string(),
      from_field: z.string(),
      to_field: z.string(),
      on_delete: referenceAction.optional(),
      on_update: referenceAction.optional(),
    }),
  ),
});

/** Sections: `{param_count, returning[], access_override}` by name. */
export const actionList = z.object({
  ...listed,
  count: z.int(),
  actions: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      entities: z.array(z.string()),
      source: z.enum(['product', 'tenant', 'runtime']),
      methods: z.array(z.string()),
      has_access: z.boolean(),
      sections: z.record(
        z.string(),
        z.object({ param_count: z.int(), returning: z.array(z.string()), access_override: z.boolean() }),
      ),
    }),
  ),
});

export const hashList = z.object({ count: z.literal(0), hashes: z.array(z.never()) });

export const tenantList = z.object({ tenants: z.array(z.string()), count: z.int() });
export const invalidated = z.object({ invalidated: z.string() });
