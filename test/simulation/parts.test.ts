/**
 * The rates, the vault keeper, the door and a whole node out of seeds (README.md). SKEP_SIMULATION_PART_SEEDS says how many of each. Contract: docs/contract/identity.md §7.2,
 * docs/contract/intake.md §9, docs/contract/vault.md §4.3, §5, docs/contract/common.md §3.3, §4.3.
 */
import { describe, expect, test } from 'vitest';
import { isLongRun, rounds } from '#test/kit/rounds.ts';
import { tally, TALLY_FILE } from '#test/kit/tally.ts';
import { CONTROLS } from './controls.ts';
import { FIRST_SEED, simulate, sumIn } from './simulate.ts';
import { WHOLE_NOTICES } from '#test/simulation/whole/controls.ts';

/** A pass of the campaign is a longer one. */
const USUAL = process.env[TALLY_FILE] === undefined ? 30 : 2000;
const SEEDS = rounds({ suite: USUAL, ci: Math.max(40, USUAL) }, 'SKEP_SIMULATION_PART_SEEDS');
/** Within so many seeds each control is noticed. */
const CONTROL_SEEDS = 500;
const TIMEOUT_MS = 300_000;

/** What a simulation has to reach, in so many seeds, or it proves nothing. */
const REACHES = {
  rates: ['granted', 'refused', 'overflowed', 'meetings', 'endsInSteps'],
  vault: [
    'reads',
    'writes',
    'removals',
    'casRefused',
    'refusedSealed',
    'seals',
    'unseals',
    'keyRotations',
    'rootRotations',
    'revealed',
    'leftOpen',
    'syncsFailed',
  ],
  door: [
    'answered200',
    'answered201',
    'answered408',
    'answered413',
    'answered429',
    'answered503',
    'left',
    'fell',
    'syncsFailed',
  ],
  whole: [
    'answered200',
    'answered201',
    'answered429',
    'answered503',
    'fell',
    'turnsAnswered',
    'submissionsAnswered',
    'ordersAnswered',
    'secretsAcknowledged',
    'webhooks',
    'vaultOpenings',
    'syncsFailed',
  ],
} as const;

describe.each(['rates', 'vault', 'door', 'whole'] as const)('the simulation of the %s', (of) => {
  const controls =
    of === 'whole'
      ? WHOLE_NOTICES
      : Object.entries(CONTROLS).flatMap(([name, control]) => (control.of === of ? name : []));

  test(
    `${SEEDS} seeds from ${FIRST_SEED} on: every answer is one of the model`,
    { timeout: TIMEOUT_MS + SEEDS * 500 },
    async () => {
      const { code, output } = await simulate('--of', of, '--seed', String(FIRST_SEED), '--seeds', String(SEEDS));
      expect(code, output).toBe(0);
      const { seeds, falls, threadEnds, acknowledged, reached } = sumIn(output);
      tally({ seeds, simulatedFalls: falls + threadEnds, acknowledged });
      const counts = Object.entries(reached).map(([what, count]) => `${what} ${count}`);
      console.log(
        `simulation of the ${of}: ${seeds} seeds, ${falls} falls, ${threadEnds} threads ended, ${counts.join(', ')}`,
      );
      expect(Object.keys(reached)).toEqual(expect.arrayContaining([...REACHES[of]]));
      for (const what of REACHES[of]) expect(reached[what], what).toBeGreaterThan(SEEDS / 10);
      expect(threadEnds).toBeGreaterThan(SEEDS / 10);
    },
  );

  test('one seed is one run, also in another process', { timeout: TIMEOUT_MS }, async () => {
    const [once, again, other] = await Promise.all(
      ['3', '3', '103'].map(async (seed) =>
        sumIn((await simulate('--of', of, '--seed', seed, '--seeds', '10')).output),
      ),
    );
    expect(again).toEqual(once);
    expect(other!.traces).not.toEqual(once!.traces);
  });

  test.each(controls.filter((_name, at) => isLongRun || at % 6 === 0))(
    'noticed: %s',
    { timeout: TIMEOUT_MS },
    async (name) => {
      const { code, output } = await simulate('--of', of, '--seeds', String(CONTROL_SEEDS), '--control', name);
      expect(code, output).toBe(1);
      expect(output).toMatch(/^seed \d+, commit/m);
    },
  );
});
