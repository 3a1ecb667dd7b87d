/** Any instant of random histories, against a plain model: copies, cuts and takeovers in between; over the engine in memory, and over a PostgreSQL with its standby. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LogEngine } from '#storage/log-engine/port.ts';
import { createTables } from '#storage/log-engine/postgres/create.ts';
import { PostgresEngine } from '#storage/log-engine/postgres/engine.ts';
import { TooEarly } from '#storage/log-history/shard-at.ts';
import { Random } from '#test/kit/random.ts';
import { hasPostgres, PostgresPair } from '#test/kit/postgres-server.ts';
import { rounds } from '#test/kit/rounds.ts';
import { testSeed } from '#test/kit/seed.ts';
import { inMemory, piecesOf, world, type Rows } from './world.ts';

const ROUNDS = rounds({ suite: 60, ci: 200 });
const LIMIT = { timeout: ROUNDS * 3000 };
/** Of lives that are over, the last ones of which are still looked at by those that follow; a server takes a hundred connections. */
const ENGINES_OPEN = 12;

test('any instant within the history is what the rows were then', LIMIT, async () => {
  const random = new Random(testSeed());
  await anyInstant(random, inMemory(random));
});

describe.runIf(hasPostgres)('on a PostgreSQL', () => {
  const engines: PostgresEngine[] = [];
  let pair: PostgresPair;

  beforeAll(async () => {
    pair = await PostgresPair.start();
  }, 120_000);
  afterAll(() => pair.stop());

  test('any instant within the history is what the rows were then', LIMIT, async () => {
    const options = { url: pair.primary.url, replication: 'strict' as const, answerMs: 20_000 };
    await createTables(options, 2);
    const connect = (): LogEngine => {
      const engine = new PostgresEngine(options);
      engines.push(engine);
      if (engines.length > ENGINES_OPEN) void engines.shift()!.close();
      return engine;
    };
    await anyInstant(new Random(testSeed()), connect);
    for (const engine of engines) await engine.close();
  });
});

/** How a node is followed: by itself; by another one that has it stopped; by one that claims from under it. */
const OVER = ['restarted', 'takenOver', 'silent'] as const;

async function anyInstant(random: Random, connect: () => LogEngine): Promise<void> {
  const { another, clock, place } = world(connect);
  let node = another();
  await node.start();
  const model = [0, 1].map((): Rows => ({}));
  /** Of each shard: what it was from an instant on. */
  const past = [0, 1].map((): { ms: number; rows: Rows }[] => [{ ms: 0, rows: {} }]);
  const first: (number | null)[] = [null, null];
  const reached = { restored: 0, pieces: 0, forgotten: 0, restarted: 0, takenOver: 0, silent: 0, early: 0 };
  node.historyMs = 200_000;
  for (let round = 0; round < ROUNDS; round++) {
    for (let n = random.below(8); n > 0; n--) {
      if (random.chance(0.9)) clock.ms += 1 + random.below(3000);
      const [shard, key] = [random.below(2), `k${random.below(15)}`];
      const value = random.chance(0.2) ? null : `${round} ${n} ${'x'.repeat(random.below(300))}`;
      if (value === null) delete model[shard]![key];
      else model[shard]![key] = value;
      await node.write(shard, key, value);
      past[shard]!.push({ ms: clock.ms, rows: { ...model[shard] } });
    }
    if (random.chance(0.5)) await node.drain();
    for (const shard of [0, 1])
      if (random.chance(0.5)) {
        const made = await node.copy(shard);
        if (made !== null) first[shard] ??= clock.ms;
      }
    // A copy of this instant has all that was written at it: what is written from here on is of later.
    clock.ms += 1;
    if (random.chance(0.3)) await node.engine.reclaim();
    if (round % 5 === 4) {
      const how = OVER[((round - 4) / 5) % OVER.length]!;
      const before = node;
      node = how === 'restarted' ? before : another();
      node.historyMs = before.historyMs;
      node.copyEveryMs = random.below(3) * 20_000;
      if (how !== 'silent') await before.stop();
      await node.start();
      if (how === 'silent') await before.stop();
      reached[how]++;
    }
    for (const shard of [0, 1]) {
      if (!random.chance(0.4) || first[shard] === null) continue;
      const from = Math.max(first[shard]!, clock.ms - node.historyMs!);
      const at = from + random.below(clock.ms - from + 1);
      expect(await node.rowsAt(shard, at)).toEqual(past[shard]!.findLast(({ ms }) => ms <= at)!.rows);
      reached.restored++;
      if (random.chance(0.2)) {
        await expect(node.rowsAt(shard, first[shard]! - 1)).rejects.toThrow(TooEarly);
        reached.early++;
      }
    }
  }
  const pieces = await piecesOf(place);
  reached.pieces = pieces.length;
  reached.forgotten = pieces[0]!.from - 1;
  await node.stop();
  for (const [what, count] of Object.entries(reached)) expect(count, what).toBeGreaterThan(0);
}
