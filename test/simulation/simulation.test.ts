/**
 * Nodes out of seeds (README.md). SKEP_SIMULATION_SEEDS says how many, SKEP_SIMULATION_SEED which is the first; a campaign has others each time. Contract:
 * docs/contract/common.md §4.3, §8.1, docs/contract/audit.md §5, §6, docs/contract/intake.md §3.6, §4.2, docs/contract/triggers.md §2, §3.1.
 */
import { expect, test } from 'vitest';
import { isLongRun, rounds } from '#test/kit/rounds.ts';
import { tally, TALLY_FILE } from '#test/kit/tally.ts';
import { CONTROLS, RESTART_CONTROLS } from './controls.ts';
import { FIRST_SEED, runScript, simulate, sumIn } from './simulate.ts';

/** A pass of the campaign is a longer one. */
const USUAL = process.env[TALLY_FILE] === undefined ? 75 : 4000;
const SEEDS = rounds({ suite: USUAL, ci: Math.max(120, USUAL) }, 'SKEP_SIMULATION_SEEDS');
/** Within so many seeds each control is noticed. */
const CONTROL_SEEDS = 500;
const TIMEOUT_MS = 120_000;

test(
  `${SEEDS} nodes from seed ${FIRST_SEED} on: what was acknowledged is there, and nothing is half there`,
  { timeout: TIMEOUT_MS + SEEDS * 500 },
  async () => {
    const { code, output } = await simulate('--seed', String(FIRST_SEED), '--seeds', String(SEEDS));
    expect(code, output).toBe(0);
    const { seeds, falls, threadEnds, acknowledged, undone } = sumIn(output);
    tally({ seeds, simulatedFalls: falls + threadEnds, acknowledged });
    console.log(
      `simulation: ${seeds} seeds, ${falls} falls, ${threadEnds} threads ended, ${acknowledged} acknowledged, ${undone} undone`,
    );
    // A simulation in which nothing is at stake proves nothing.
    expect(Math.min(falls, threadEnds, undone)).toBeGreaterThan(SEEDS / 10);
  },
);

test('one seed is one run, also in another process', { timeout: TIMEOUT_MS }, async () => {
  const [once, again, other] = await Promise.all(
    ['3', '3', '103'].map(async (seed) => sumIn((await simulate('--seed', seed, '--seeds', '15')).output)),
  );
  expect(again).toEqual(once);
  expect(other!.traces).not.toEqual(once!.traces);
});

// Those of other simulations: parts.test.ts.
const OF_NODES = Object.keys(CONTROLS).filter((name) => CONTROLS[name]!.of === undefined);
const TRIED = OF_NODES.filter((_name, at) => isLongRun || at % 6 === 0);

test.each(TRIED)('noticed: %s', { timeout: TIMEOUT_MS }, async (name) => {
  const { code, output } = await simulate('--seeds', String(CONTROL_SEEDS), '--control', name);
  expect(code, output).toBe(1);
  expect(output).toMatch(/^seed \d+, commit/m);
});

test(
  'a kill, and a loss of power while the next process takes over, leave nothing half',
  { timeout: TIMEOUT_MS },
  async () => {
    const { code, output } = await runScript('restart-run.ts', []);
    expect(code, output).toBe(0);
    expect(output).toMatch(/^\d+ pairs of falls$/m);
  },
);

test.each(Object.keys(RESTART_CONTROLS))('noticed after two falls: %s', { timeout: TIMEOUT_MS }, async (name) => {
  const { code, output } = await runScript('restart-run.ts', ['--control', name]);
  expect(code, output).toBe(1);
  expect(output).toMatch(/half of a record is there|is not there/);
});

test('a failure names a command that repeats it, in a smaller run', { timeout: TIMEOUT_MS }, async () => {
  const { output } = await simulate('--seeds', '100', '--control', 'early-acknowledgement');
  const command = /again, with all that happens: node test\/simulation\/run\.ts (.*)$/m.exec(output)![1]!;
  const said = /^seed \d+, commit \S+: .*$/m.exec(output)![0];
  const { turns } = /--turns (?<turns>\d+)/.exec(command)!.groups!;
  expect(Number(turns)).toBeLessThan(60);
  const again = await simulate(...command.split(' '));
  expect(again.code).toBe(1);
  expect(again.output).toContain(said);
});
