/** Bodies about submissions of a tenant's forms (docs/contract/triggers.md §7.4). */
import { z } from 'zod';
import { textShape } from '#actors/protocol/shape.ts';

export const submissionList = z.object({
  tenant: z.string(),
  datastore: z.string(),
  submissions: z.array(
    z.object({
      id: z.string(),
      form: z.string(),
      received_at: z.string(),
      fields: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
      outcome: z.enum(['kept', 'waiting', 'delivered', 'failed', 'dropped']),
      attempts: z.int(),
      error: z.string().nullable(),
      ended_at: z.string().nullable(),
    }),
  ),
  next: z.string().nullable(),
});

export const submissionLines = textShape('application/x-ndjson', {
  description: 'A submission a line, then `{"end": {"count": …, "next": …}}`.',
});
