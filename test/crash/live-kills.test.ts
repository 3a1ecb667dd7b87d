/**
 * kill -9 of the node, and kills of its host's thread, under 100 subscribers of every kind: what each is told over all kills is what it may see of the kept
 * changes, each once and in order, and nothing that a crash took back (docs/contract/changes.md). Rounds: SKEP_CRASH_ROUNDS; SKEP_KILL_SEED repeats a run.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { writeNoteProduct } from '#test/kit/note-product.ts';
import { TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { Random } from '#test/kit/random.ts';
import { rounds } from '#test/kit/rounds.ts';
import { assertSound } from '#test/kit/sound.ts';
import { startTestNode } from '#test/kit/test-node.ts';
import { Campaign } from './live/campaign.ts';
import { startKillable } from './live/killable-node.ts';
import { PASSWORD, World } from './live/world.ts';
import type { Caller } from './live/world.ts';

const ROUNDS = rounds({ suite: 3, ci: 20 });
const SEED = Number(process.env['SKEP_KILL_SEED'] ?? Date.now() % 2 ** 31);
const USERS = ['ann', 'ben', 'cid', 'dan', 'eve', 'fay'];
const SERVICES = ['first', 'second'];

test(`${ROUNDS} kills under 100 subscribers, seed ${SEED}`, { timeout: 120_000 + ROUNDS * 30_000 }, async () => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-live-kills-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const wish = { localdir: writeNoteProduct(dir, 100_000), dir };
  const prepared = await startTestNode(wish);
  const callers: Caller[] = [];
  for (const name of USERS) {
    const person = { email: `${name}@example.org`, password: PASSWORD, roles: ['tenant_user'] };
    const { id } = (await prepared.node.ask(TENANT, 'identity', 'person.ensure', person)) as { id: string };
    callers.push({ name, subject: id, key: null });
  }
  for (const name of SERVICES) {
    const issued = { service: name, capabilities: { scope: ['acme:dev:shop:main'] } };
    const { key } = (await prepared.node.ask(TENANT, 'identity', 'key.issue', issued)) as { key: string };
    callers.push({ name, subject: null, key });
  }
  await prepared.stop();

  const file = writePlatformFile(dir, wish);
  const world = new World(callers, await startKillable(file));
  await world.enter(world.node);
  const campaign = new Campaign(world, () => startKillable(file), new Random(SEED));
  onTestFinished(() => campaign.leave());
  await campaign.begin();
  for (let round = 0; round < ROUNDS; round++) {
    await campaign.kill(round);
    if (round % 20 === 19) console.log(`round ${round + 1}: ${JSON.stringify(campaign.figures)}`);
  }
  await campaign.look();
  console.log(`SKEP_KILL_SEED=${SEED} ${ROUNDS} rounds: ${JSON.stringify(campaign.figures)}`);

  // The run has reached what it is for.
  const { kills, acrossKills, resumes, resets, snapshots, told, gone } = campaign.figures;
  expect(kills.process + kills.host).toBe(ROUNDS);
  expect(resets).toBe(0);
  for (const some of [told, gone, acrossKills, snapshots]) expect(some).toBeGreaterThan(0);
  for (const some of Object.values(resumes)) expect(some).toBeGreaterThan(0);
  if (ROUNDS > 1) expect(Math.min(kills.process, kills.host)).toBeGreaterThan(0);
  expect(await campaign.stop()).toBe(0);
  await assertSound(prepared.platform.storage.dir);
});
