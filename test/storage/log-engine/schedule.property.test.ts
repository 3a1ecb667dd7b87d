/** Nodes on one log engine, under schedules of lost answers, late requests, cancelled waits and takeovers of the database: nothing acknowledged is missing, and nothing that a node has is taken back. */
import { expect, it } from 'vitest';
import { KEPT_RULES, type MemoryRules } from './memory-statements.ts';
import { MemoryLog } from './memory.ts';
import { Random } from '#test/kit/random.ts';
import { rounds } from '#test/kit/rounds.ts';
import { testSeed } from '#test/kit/seed.ts';
import { Crowd } from './crowd.ts';
import { allCases, memoryWorld } from './memory-world.ts';

const SEEDS = rounds({ suite: 100, ci: 1000 });
/** Seeds in which a broken rule must show. */
const PLANTED_SEEDS = 40_000;
const SHARDS = 2;
const STEPS = 25;

async function crowdOf(seed: number, rules: MemoryRules): Promise<{ crowd: Crowd; log: MemoryLog }> {
  const random = new Random(seed);
  const often = random.below(3);
  const chances = {
    answerLost: 0.04 * often,
    requestLost: 0.03 * often,
    requestLate: 0.04 * often,
    waitCancelled: 0.1 * random.below(3),
    takeOver: 0.02 * random.below(4),
    standbySlow: 0.45 * random.below(3),
  };
  const log = new MemoryLog({ shards: SHARDS, random: () => random.next(), chances, rules });
  const crowd = new Crowd(log, random, SHARDS);
  await crowd.run(2 + random.below(2), STEPS);
  return { crowd, log };
}

function add(sums: Record<string, number>, counts: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count;
}

it(`keeps what it acknowledged, in ${SEEDS} schedules`, { timeout: 600_000 }, async () => {
  const sums: Record<string, number> = {};
  for (let n = 0; n < SEEDS; n++) {
    const seed = testSeed() + n;
    const { crowd, log } = await crowdOf(seed, KEPT_RULES);
    expect(crowd.violations, `seed ${seed}`).toEqual([]);
    add(sums, { ...crowd.reached });
    add(sums, log.counts);
  }
  for (const [name, count] of Object.entries(sums)) expect(count, name).toBeGreaterThan(SEEDS / 20);
});

it('is the same run for the same seed', async () => {
  const one = await crowdOf(7, KEPT_RULES);
  const two = await crowdOf(7, KEPT_RULES);
  expect(two.crowd.acknowledged).toEqual(one.crowd.acknowledged);
  expect([two.crowd.reached, two.log.counts]).toEqual([one.crowd.reached, one.log.counts]);
  expect(one.crowd.acknowledged.length).toBeGreaterThan(0);
});

/** How many cases an engine with these rules fails. */
async function failures(rules: MemoryRules): Promise<number> {
  let count = 0;
  for (const run of allCases(memoryWorld(rules))) await run().catch(() => void count++);
  return count;
}

/** Whether a schedule shows a violation. */
async function isViolated(rules: MemoryRules): Promise<boolean> {
  for (let n = 0; n < PLANTED_SEEDS; n++)
    if ((await crowdOf(testSeed() + n, rules)).crowd.violations.length > 0) return true;
  return false;
}

/** Rules that a schedule breaks visibly. The others hold back what the position and the hash of an entry would refuse as well, so that no entry is lost without them: the cases hold them. */
const IN_SCHEDULES: ReadonlySet<keyof MemoryRules> = new Set([
  'comparesPosition',
  'coversWhatItFinds',
  'doubtsCancelledWaits',
  'hidesUnconfirmed',
  'notesForward',
  'trimsBelowSnapshots',
  'tellsOfGaps',
]);

it.each(Object.keys(KEPT_RULES) as (keyof MemoryRules)[])(
  'an engine that breaks a rule is noticed: %s',
  { timeout: 600_000 },
  async (rule) => {
    const rules = { ...KEPT_RULES, [rule]: false };
    if (IN_SCHEDULES.has(rule)) expect(await isViolated(rules)).toBe(true);
    else expect(await failures(rules)).toBeGreaterThan(0);
  },
);
