/** A node that has handed its place over is stopped at any moment of its way to stand by, under callers at its door and the other's: none is cut, and what was acknowledged is there, once. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as passed } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TENANT } from '#test/kit/platform-file.ts';
import { hasPostgres, PostgresPair } from '#test/kit/postgres-server.ts';
import { Random } from '#test/kit/random.ts';
import { rounds } from '#test/kit/rounds.ts';
import { testSeed } from '#test/kit/seed.ts';
import { tally } from '#test/kit/tally.ts';
import { DoorCallers } from '#test/crash/upgrade/callers.ts';
import { Machine } from '#test/crash/upgrade/machine.ts';
import { present } from '#test/crash/upgrade/release.ts';
import { keyOf, until } from '#test/crash/upgrade/replace.ts';

const ROUNDS = rounds({ suite: 2, ci: 4 });
const LEASE_MS = 4000;
/** In which the node that has handed over takes its directory again, opens its doors and says that it stands by. */
const WAY_MS = 800;
const ROUND_MS = 200_000;
const seed = testSeed();

describe.runIf(hasPostgres)('two nodes on one log', () => {
  const root = mkdtempSync(join(tmpdir(), 'skep-stopped-'));
  const random = new Random(seed);
  let pair: PostgresPair;
  const machines: Machine[] = [];
  let callers: DoorCallers;

  beforeAll(async () => {
    pair = await PostgresPair.start();
    for (const name of ['n1', 'n2'])
      machines.push(
        await Machine.make(root, { name, url: pair.primary.url, leaseMs: LEASE_MS, carries: false }, present),
      );
    const [first, other] = machines as [Machine, Machine];
    await first.skep('cluster', 'init', '-f', first.file, '--shards', '4');
    first.start();
    await until('the first one serves', machines, () => first.serves());
    const keys = new Map([[TENANT, await keyOf(first, TENANT)]]);
    other.start();
    await until('the other one stands by', machines, () => other.isStandby());
    callers = new DoorCallers(
      machines.map(({ gateway, name }) => ({ url: gateway, said: () => name })),
      keys,
    );
  }, ROUND_MS);
  afterAll(async () => {
    for (const machine of machines) machine.kill();
    await callers?.end();
    await pair?.stop();
    rmSync(root, { recursive: true, force: true });
  }, ROUND_MS);

  test.each(Array.from({ length: ROUNDS }, (_, no) => no))(
    `round %i of seed ${seed}`,
    { timeout: ROUND_MS },
    async (no) => {
      const [serving, other] = (no % 2 === 0 ? machines : machines.toReversed()) as [Machine, Machine];
      const before = callers.acknowledged;
      await serving.skep('cluster', 'drain', serving.name, '-f', serving.file);
      await passed(random.below(WAY_MS));
      await serving.stop();
      expect(callers.failures.splice(0)).toEqual([]);
      serving.start();
      await until('it stands by', machines, () => serving.isStandby());
      await until('the other one serves', machines, () => other.serves());
      expect(callers.failures.splice(0)).toEqual([]);
      expect(callers.acknowledged).toBeGreaterThan(before);
      tally({ acknowledged: callers.acknowledged - before });
    },
  );

  test('what was acknowledged is there, once', { timeout: ROUND_MS }, async () => {
    expect(await callers.wrong()).toEqual([]);
  });
});
