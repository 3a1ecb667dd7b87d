/** What there is to simulate: the rooms of a node, the rates, the vault, the door, a whole node of all of these, nodes on one log. Loaded when everything is put in its place. */
import type { Bounds, ExtraRoom } from '#test/simulation/node/settings.ts';
import type { Options, Outcome } from '#test/simulation/machine/run-on-machine.ts';

export const SIMULATED = ['node', 'rates', 'vault', 'door', 'whole', 'cluster', 'carriers'] as const;
export type Simulated = (typeof SIMULATED)[number];

export type RunSeed = (seed: number, bounds: Bounds, options: Options) => Promise<Outcome>;

/** `rooms`: those beside the host that a run of a node may have. */
export async function loadSimulation(what: Simulated, rooms: readonly ExtraRoom[]): Promise<RunSeed> {
  if (what === 'rates') return (await import('#test/simulation/rates/run.ts')).runRatesSeed;
  if (what === 'vault') return (await import('#test/simulation/vault/run.ts')).runVaultSeed;
  if (what === 'door') return (await import('#test/simulation/door/run.ts')).runDoorSeed;
  if (what === 'whole') return (await import('#test/simulation/whole/run.ts')).runWholeSeed;
  if (what === 'cluster') return (await import('#test/simulation/cluster/run.ts')).runClusterSeed;
  if (what === 'carriers') return (await import('#test/simulation/cluster/run.ts')).runCarriersSeed;
  const { runSeed } = await import('#test/simulation/node/run.ts');
  const { loadParts } = await import('#test/simulation/node/parts.ts');
  const parts = await loadParts(rooms);
  return (seed, bounds, options) => runSeed(seed, bounds, parts, options);
}
