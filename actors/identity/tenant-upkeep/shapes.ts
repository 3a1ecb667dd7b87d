/** Bodies of the upkeep of a tenant by operators. Spec: docs/contract/identity-users.md §6.2. Unknown members are refused: a misspelt `dry_run` would write. */
import { z } from 'zod';
import { limits } from '#config/limits.ts';

const dryRun = z.boolean().optional();

export const seedsRequest = z.strictObject({
  names: z.array(z.string().min(1)).max(limits.seeds.namesMax).optional(),
  dry_run: dryRun,
});

export const retentionRequest = z.strictObject({ dry_run: dryRun });
