/** Repairs a tenant while it is served. */
import type { Pace } from '#storage/backup/pace.ts';
import type { Lookup } from '#storage/port.ts';
import { scrubShard } from '#storage/scrub.ts';
import { mendEntities, type MendReport } from '#actors/data/integrity/mend/store.ts';
import type { Activation } from '#actors/host/activation.ts';
import type { RepairJob } from './job.ts';

const BY = 'skep tenant repair';

/**
 * Refuses where the keys of the shard are out of order: LMDB then finds neither the misplaced entries nor their neighbours, so that a write would
 * add to the damage.
 */
export async function repairTenant(
  { dropRows, shard }: RepairJob,
  atRest: Lookup,
  activation: () => Promise<Activation>,
  pace: Pace,
): Promise<MendReport> {
  for (const { entries, faults } of scrubShard(atRest, () => pace.over)) {
    if (faults.some(({ kind }) => kind === 'order')) {
      const mend = 'stop the node and run: skep storage repair <dir>';
      throw new Error(
        `keys of shard ${shard} are out of order, which cannot be mended while it is served\n    ${mend}`,
      );
    }
    pace.did(entries);
    await pace.rest();
  }
  return mendEntities(await activation(), { dropRows, by: BY }, pace);
}
