/** Bodies of acknowledgements (docs/contract/changes.md §8.3). */
import { z } from 'zod';

export const groupAcknowledged = z.object({
  after: z
    .int()
    .optional()
    .describe('Every change up to this position is done with; without it a group without a place begins now.'),
});

export const groupPlace = z.object({
  group: z.string(),
  entity: z.string(),
  after: z.int().describe('The place of the group: behind it the next caller goes on.'),
});
