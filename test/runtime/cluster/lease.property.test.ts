/** A lease bounds what an overtaken node answers: nodes under a simulated time, with clocks that run at different rates. */
import { expect, it } from 'vitest';
import { Random } from '#test/kit/random.ts';
import { rounds } from '#test/kit/rounds.ts';
import { testSeed } from '#test/kit/seed.ts';
import { KEPT_LEASE_RULES, type LeaseRules } from './lease-rules.ts';
import { LeaseWorld } from './lease-world.ts';

const SEEDS = rounds({ suite: 40, ci: 750 });
/** Seeds in which a broken rule must show. */
const PLANTED_SEEDS = 3000;

async function worldOf(
  seed: number,
  rules: LeaseRules = KEPT_LEASE_RULES,
  reads: LeaseWorld['reads'] = seed % 2 === 0 ? 'lease' : 'confirmed',
): Promise<LeaseWorld> {
  const world = new LeaseWorld(new Random(seed), rules, reads);
  await world.run();
  return world;
}

it(`no reply rests on what another node has overtaken, in ${SEEDS} schedules`, { timeout: 600_000 }, async () => {
  const sums: Record<string, number> = {};
  for (let n = 0; n < SEEDS; n++) {
    const seed = testSeed() + n;
    const { violations, reached } = await worldOf(seed);
    expect(violations, `seed ${seed}`).toEqual([]);
    for (const [name, count] of Object.entries(reached)) sums[name] = (sums[name] ?? 0) + count;
  }
  for (const [name, count] of Object.entries(sums)) expect(count, name).toBeGreaterThan(SEEDS / 5);
});

it('is the same run for the same seed', async () => {
  const [one, two] = [await worldOf(7), await worldOf(7)];
  expect(two.reached).toEqual(one.reached);
  expect(one.reached.writes).toBeGreaterThan(0);
});

it.each(Object.keys(KEPT_LEASE_RULES) as (keyof LeaseRules)[])(
  'nodes that break a rule are noticed: %s',
  { timeout: 600_000 },
  async (rule) => {
    const reads = rule === 'roundsBehindReads' ? 'confirmed' : 'lease';
    for (let n = 0; n < PLANTED_SEEDS; n++)
      if ((await worldOf(testSeed() + n, { ...KEPT_LEASE_RULES, [rule]: false }, reads)).violations.length > 0) return;
    expect.unreachable(`none of ${PLANTED_SEEDS} seeds shows it`);
  },
);
