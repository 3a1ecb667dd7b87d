/**
 * Nodes that run hosts for the one that serves, out of seeds (README.md, docs/decisions/storage.md ST-48). SKEP_SIMULATION_CLUSTER_SEEDS says how many, SKEP_SIMULATION_SEED which is the first; a campaign has others each time.
 */
import { expect, test } from 'vitest';
import { isCampaign, isLongRun, rounds } from '#test/kit/rounds.ts';
import { tally, TALLY_FILE } from '#test/kit/tally.ts';
import { CARRIER_CONTROLS } from '#test/simulation/cluster/carrier-controls.ts';
import { FIRST_SEED, simulate, sumIn } from './simulate.ts';

/** A pass of the campaign is a longer one. */
const USUAL = process.env[TALLY_FILE] === undefined ? 12 : 1000;
const SEEDS = rounds({ suite: USUAL, ci: Math.max(40, USUAL) }, 'SKEP_SIMULATION_CLUSTER_SEEDS');
/** Within so many seeds each control is noticed. */
const CONTROL_SEEDS = 20_000;
const TIMEOUT_MS = 300_000;
/** What has to happen, or nothing is proven. */
const REACHED = ['served', 'moved', 'cameHome', 'reads', 'still', 'cut'] as const;
/** Those that a few seeds show. */
const SOON = ['released-unasked', 'serves-beside-carriers', 'carrier-goes-on'];

test(
  `${SEEDS} runs of nodes that carry, from seed ${FIRST_SEED} on: no host answers beside another one, and each place is served in the end`,
  { timeout: TIMEOUT_MS + SEEDS * 500 },
  async () => {
    const { code, output } = await simulate('--of', 'carriers', '--seed', String(FIRST_SEED), '--seeds', String(SEEDS));
    expect(code, output).toBe(0);
    const { seeds, threadEnds, acknowledged, reached } = sumIn(output);
    tally({ seeds, simulatedFalls: threadEnds, acknowledged });
    console.log(
      `simulation of carriers: ${seeds} seeds, ${threadEnds} processes ended, ${reached['moved']} places moved, ${acknowledged} acknowledged`,
    );
    for (const what of REACHED) expect(reached[what], what).toBeGreaterThan(SEEDS / 20);
  },
);

const TRIED = isCampaign ? Object.keys(CARRIER_CONTROLS) : isLongRun ? SOON : SOON.slice(0, 1);

test.each(TRIED)('noticed: %s', { timeout: 4 * TIMEOUT_MS }, async (name) => {
  const { code, output } = await simulate('--seeds', String(CONTROL_SEEDS), '--control', name);
  expect(code, output).toBe(1);
  expect(output).toMatch(/^seed \d+, commit/m);
});
