/**
 * Clusters side by side under few clients and faults at random moments, for a long time: nothing that was acknowledged is lost, and histories of rows are linearizable. What counts are the hours that clusters served under faults, which
 * runs of one release add up (docs/reliability.md). SKEP_CLUSTERS says how many clusters, SKEP_CLUSTER_MINUTES for how long each.
 */
import { expect, test } from 'vitest';
import { hasPostgres } from '#test/kit/postgres-server.ts';
import { rounds } from '#test/kit/rounds.ts';
import { testSeed } from '#test/kit/seed.ts';
import { TALLY_FILE } from '#test/kit/tally.ts';
import { soak } from '#test/crash/cluster/soak.ts';
import { World } from '#test/crash/cluster/world.ts';

const isCampaign = process.env[TALLY_FILE] !== undefined;
const CLUSTERS = Number(process.env['SKEP_CLUSTERS'] ?? (isCampaign ? 4 : 1));
const MINUTES = rounds(isCampaign ? { suite: 3, ci: 30 } : { suite: 1, ci: 1 }, 'SKEP_CLUSTER_MINUTES');
const QUIET_MS = isCampaign ? 45_000 : 5000;
/** Seeds of rounds count up from that of their cluster. */
const SEEDS_APART = 100_000;
/** A cluster starts, ends its last round and stops within. */
const MORE_MS = 20 * 60_000;

/** All kinds of clusters, one after the other. */
function wishOf(no: number) {
  return {
    nodes: no % 2 === 0 ? 2 : 3,
    isCarried: (no >> 1) % 2 === 0,
    isAlone: false,
    seed: testSeed() + no * SEEDS_APART,
    forMs: MINUTES * 60_000,
    quietMs: QUIET_MS,
  } as const;
}

test.runIf(hasPostgres)(
  `${CLUSTERS} clusters for ${MINUTES} min each, seed ${testSeed()}`,
  { timeout: MINUTES * 60_000 + CLUSTERS * MORE_MS },
  async () => {
    let free: Promise<unknown> = Promise.resolve();
    const clusters = Array.from({ length: CLUSTERS }, (_, no) => {
      const wish = wishOf(no);
      // One after the other: a start takes a processor for seconds, and those that are there need it, too.
      const started = free.then(() => World.start(wish));
      free = started.catch(() => undefined);
      return soak(started, wish);
    });
    const soaked = await Promise.all(clusters);
    const faults = sumOf(soaked.map((one) => one.faults));
    const counts = sumOf(
      soaked.map(({ acknowledged, histories, takeovers }) => ({ acknowledged, histories, takeovers })),
    );
    console.log(JSON.stringify({ ...counts, faults }));
    expect(soaked.flatMap(({ wrong }) => wrong).join('\n')).toBe('');
    for (const [what, count] of Object.entries(counts)) expect(count, what).toBeGreaterThan(0);
  },
);

function sumOf(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const one of all) for (const [name, count] of Object.entries(one)) sum[name] = (sum[name] ?? 0) + count;
  return sum;
}
