/** A data directory that a test's node has left: what `skep storage check` says of it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { checkEntities } from '#actors/engine/integrity/store.ts';
import { checkStorage } from '#storage/check.ts';

/** Throws when anything in a stopped directory does not fit. */
export async function assertSound(dataDir: string): Promise<void> {
  if (!existsSync(join(dataDir, 'shards'))) return;
  const { faultCount, faults } = await checkStorage(dataDir, checkEntities);
  if (faultCount === 0) return;
  const lines = faults.map(({ kind, where, what }) => `${kind}: ${where}: ${what}`);
  throw new Error(`${dataDir} has ${faultCount} faults:\n${lines.join('\n')}`);
}
