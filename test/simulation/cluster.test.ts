/**
 * Nodes on one log out of seeds (README.md, docs/decisions/storage.md ST-41). SKEP_SIMULATION_CLUSTER_SEEDS says how many, SKEP_SIMULATION_SEED which is the first; a campaign has others each time.
 */
import { expect, test } from 'vitest';
import { isCampaign, isLongRun, rounds } from '#test/kit/rounds.ts';
import { tally, TALLY_FILE } from '#test/kit/tally.ts';
import { CLUSTER_CONTROLS } from '#test/simulation/cluster/controls.ts';
import { FIRST_SEED, simulate, sumIn } from './simulate.ts';

/** A pass of the campaign is a longer one. */
const USUAL = process.env[TALLY_FILE] === undefined ? 12 : 2000;
const SEEDS = rounds({ suite: USUAL, ci: Math.max(60, USUAL) }, 'SKEP_SIMULATION_CLUSTER_SEEDS');
/** Within so many seeds each control is noticed; most of them within a hundred. */
const CONTROL_SEEDS = 20_000;
const TIMEOUT_MS = 300_000;
/** What has to happen, or nothing is proven. */
const REACHED = ['served', 'followed', 'reads', 'readsRefused', 'still', 'cut', 'copies', 'lostCommits'] as const;
/** Those that a few seeds show. */
const SOON = ['noted-copy-removed', 'unknown-counts', 'read-ends-early', 'gap-untold', 'shorter-log-taken'];

test(
  `${SEEDS} runs of nodes on one log, from seed ${FIRST_SEED} on: what was answered is in the log, and no answer is overtaken`,
  {
    timeout: TIMEOUT_MS + SEEDS * 500,
  },
  async () => {
    const { code, output } = await simulate('--of', 'cluster', '--seed', String(FIRST_SEED), '--seeds', String(SEEDS));
    expect(code, output).toBe(0);
    const { seeds, threadEnds, acknowledged, reached } = sumIn(output);
    tally({ seeds, simulatedFalls: threadEnds, acknowledged });
    console.log(
      `simulation of the cluster: ${seeds} seeds, ${threadEnds} processes ended, ${acknowledged} acknowledged`,
    );
    for (const what of REACHED) expect(reached[what], what).toBeGreaterThan(SEEDS / 20);
  },
);

test('one seed is one run, also in another process', { timeout: TIMEOUT_MS }, async () => {
  const run = async (seed: number) =>
    sumIn((await simulate('--of', 'cluster', '--seed', String(seed), '--seeds', '2')).output);
  const [once, again, other] = await Promise.all([run(3), run(3), run(103)]);
  expect(again).toEqual(once);
  expect(other.traces).not.toEqual(once.traces);
});

const TRIED = isCampaign ? Object.keys(CLUSTER_CONTROLS) : isLongRun ? SOON : SOON.slice(0, 1);

test.each(TRIED)('noticed: %s', { timeout: 4 * TIMEOUT_MS }, async (name) => {
  const { code, output } = await simulate('--seeds', String(CONTROL_SEEDS), '--control', name);
  expect(code, output).toBe(1);
  expect(output).toMatch(/^seed \d+, commit/m);
});
