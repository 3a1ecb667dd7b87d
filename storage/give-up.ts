/** `skep storage repair --drop-records`: an operator accepts the loss of what cannot be read of a damaged journal. */
import { limits } from '#config/limits.ts';
import { shardPath } from './archive.ts';
import { openEnvironment, type Environment } from './environment.ts';
import { findShards } from './inspect.ts';
import { findJournals, retireJournals } from './journal/directories.ts';
import { replayJournals } from './replay.ts';
import type { DamagedJournal } from './journal/replay.ts';

/**
 * Applies every record that can be read, in order, and removes the journals. Gives what was given up. Writes of lost records are missing;
 * later records of the same rows are applied all the same.
 */
export async function giveUpRecords(dataDir: string): Promise<DamagedJournal[]> {
  const environments = new Map<number, Environment>();
  const givenUp: DamagedJournal[] = [];
  try {
    for (const no of findShards(dataDir))
      environments.set(no, openEnvironment(shardPath(dataDir, no), { onFatal: refuse }));
    const journals = findJournals(dataDir);
    const bounds = { gatherMax: limits.storage.sweepCells, putsMax: limits.storage.commitPutsMax };
    await replayJournals(journals, environments, bounds, { onGivenUp: (damage) => void givenUp.push(damage) });
    retireJournals(journals);
  } finally {
    for (const environment of environments.values()) await environment.close();
  }
  return givenUp;
}

function refuse(error: Error): never {
  throw error;
}
