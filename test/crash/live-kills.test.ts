/**
 * kill -9 of the node, and kills of its host's thread, under 100 subscribers of every kind: what each is told over all kills is what it may see of the kept
 * changes, each once and in order, and nothing that a crash took back (docs/contract/changes.md). Rounds: SKEP_CRASH_ROUNDS; SKEP_TEST_SEED repeats a run.
 */
import { expect, onTestFinished, test } from 'vitest';
import { Random } from '#test/kit/random.ts';
import { rounds } from '#test/kit/rounds.ts';
import { assertSound } from '#test/kit/sound.ts';
import { Campaign } from '#test/crash/live/campaign.ts';
import { prepared } from '#test/crash/live/prepare.ts';
import { tally } from '#test/kit/tally.ts';
import { testSeed } from '#test/kit/seed.ts';

const ROUNDS = rounds({ suite: 3, ci: 5 });
const SEED = testSeed();
const USERS = ['ann', 'ben', 'cid', 'dan', 'eve', 'fay'];
const SERVICES = ['first', 'second'];

test(`${ROUNDS} kills under 100 subscribers, seed ${SEED}`, { timeout: 120_000 + ROUNDS * 30_000 }, async () => {
  const { world, start, dataDir } = await prepared({ users: USERS, services: SERVICES });
  const campaign = new Campaign(world, start, new Random(SEED));
  onTestFinished(() => campaign.leave());
  await campaign.begin();
  for (let round = 0; round < ROUNDS; round++) {
    await campaign.kill(round);
    if (round % 20 === 19) console.log(`round ${round + 1}: ${JSON.stringify(campaign.figures)}`);
  }
  await campaign.look();
  tally({ acknowledged: campaign.figures.writes });
  console.log(`SKEP_TEST_SEED=${SEED} ${ROUNDS} rounds: ${JSON.stringify(campaign.figures)}`);

  // The run has reached what it is for.
  const { kills, acrossKills, resumes, resets, snapshots, told, gone } = campaign.figures;
  expect(kills.process + kills.host).toBe(ROUNDS);
  expect(resets).toBe(0);
  for (const some of [told, gone, acrossKills, snapshots]) expect(some).toBeGreaterThan(0);
  for (const some of Object.values(resumes)) expect(some).toBeGreaterThan(0);
  if (ROUNDS > 1) expect(Math.min(kills.process, kills.host)).toBeGreaterThan(0);
  expect(await campaign.stop()).toBe(0);
  await assertSound(dataDir);
});
