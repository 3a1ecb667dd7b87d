/** Bodies of the admin and superadmin planes (docs/contract/data-admin.md §8.1, §9). */
import { z } from 'zod';
import { bodyShape } from './read-body.ts';

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

/** What an action is explained with: a section, `read` unless it is named, and its parameters as JSON. */
export const actionExplain = bodyShape({
  section: z.enum(['read', 'create', 'update', 'delete']).optional(),
  params: z.record(z.string(), z.unknown()).optional(),
});

export const actionExplained = z.object({
  ...listed,
  action: z.string(),
  section: z.string(),
  kind: z.string(),
  columns: z.array(z.string()),
  /** Rows that the statement gives; none of them is here. */
  total: z.int(),
  looked_at: z.int(),
  duration_ms: z.number(),
  looks: z.array(
    z.object({
      entity: z.string(),
      plan: z.record(z.string(), z.unknown()),
      times: z.int(),
      looked: z.int(),
      found: z.int(),
    }),
  ),
});

export const hashList = z.object({ count: z.literal(0), hashes: z.array(z.never()) });

export const tenantList = z.object({ tenants: z.array(z.string()), count: z.int() });
export const invalidated = z.object({ invalidated: z.string() });
