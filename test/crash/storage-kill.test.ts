/** kill -9 at random moments, over and over in one directory. Rounds: test/kit/rounds.ts. */
import { expect, it } from 'vitest';
import { place } from '#test/storage/place.ts';
import { tally, TALLY_FILE } from '#test/kit/tally.ts';
import { acknowledged, examine, startVictim } from './storage-victim.ts';
import { rounds, within } from '#test/kit/rounds.ts';

/** Without doors and tenants a kill costs a third of that of a node. */
const isCampaign = process.env[TALLY_FILE] !== undefined;
const ROUNDS = rounds(isCampaign ? { suite: 60, ci: 200 } : { suite: 4, ci: 8 });

it(`keeps every acknowledged turn, and none half (${ROUNDS} rounds)`, within(600_000 + ROUNDS * 10_000), async () => {
  const dataDir = place();
  let last = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const victim = startVictim(dataDir, 16);
    await victim.printed('ack', 1 + Math.floor(Math.random() * 3000));
    victim.process.kill('SIGKILL');
    await victim.ended;
    const acks = acknowledged(victim.lines);
    expect(acks[0]).toBeGreaterThan(last);
    const found = await examine(dataDir, acks);
    expect(found).toBeGreaterThanOrEqual(acks.at(-1)!);
    tally({ kills: 1, storeKills: 1, acknowledged: acks.length });
    last = found;
  }
});
