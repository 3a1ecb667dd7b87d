/**
 * Two nodes, in half of the campaigns three, on one log in a PostgreSQL with a synchronous standby, under faults of nodes, links and database: histories of rows are linearizable, and what was acknowledged is there, once. From one seed;
 * SKEP_CLUSTER_ROUNDS says how many faults, SKEP_CLUSTER_NODES how many nodes, SKEP_CLUSTER_CARRY=1 or =0 whether they carry hosts of one another and answer at all doors, as in half of the seeds.
 */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { judgeHistory, type Called } from '#test/kit/linearizable.ts';
import { hasPostgres } from '#test/kit/postgres-server.ts';
import { Random } from '#test/kit/random.ts';
import { registerStep, type RegisterCall, type RegisterState } from '#test/kit/row-register.ts';
import { rounds } from '#test/kit/rounds.ts';
import { testSeed } from '#test/kit/seed.ts';
import { TALLY_FILE } from '#test/kit/tally.ts';
import { faultsFor } from '#test/crash/cluster/faults.ts';
import type { NodeProcess } from '#test/crash/cluster/node-process.ts';
import { send, type Reply, type Sent } from '#test/crash/cluster/rest.ts';
import { FaultRounds } from '#test/crash/cluster/rounds.ts';
import { until, World } from '#test/crash/cluster/world.ts';

/** A campaign pays for the start of database and nodes once for many faults. */
const isCampaign = process.env[TALLY_FILE] !== undefined;
const ROUNDS = rounds(isCampaign ? { suite: 48, ci: 100 } : { suite: 5, ci: 5 }, 'SKEP_CLUSTER_ROUNDS');
const ROUND_MS = 120_000;
const NODES = Number(process.env['SKEP_CLUSTER_NODES'] ?? (isCampaign ? 2 + (testSeed() % 2) : 2)) === 3 ? 3 : 2;
const CARRIES = (process.env['SKEP_CLUSTER_CARRY'] ?? String((testSeed() >> 1) % 2)) === '1';
const WISH = { nodes: NODES, isCarried: CARRIES, isAlone: true } as const;

describe.runIf(hasPostgres)(`${NODES} nodes under faults${CARRIES ? ', which carry hosts of one another' : ''}`, () => {
  let world: World;
  let hasFound = true;
  beforeAll(async () => {
    world = await World.start(WISH);
  }, 180_000);
  afterAll(() => world.end(hasFound), 90_000);

  // Where hosts are carried, it may send the read to another node.
  test.skipIf(CARRIES)(
    'a node that answers reads behind its lease gives a history that is refused',
    { timeout: ROUND_MS },
    async () => {
      const [local] = world.nodes as [NodeProcess];
      const { overtaken } = local;
      const history: Called<RegisterCall>[] = [];
      const ask = async (at: NodeProcess, sent: Omit<Sent, 'headers'>, did: (reply: Reply) => RegisterCall) => {
        const sentAt = performance.now();
        const reply = await send(at.place.gateway, { ...sent, headers: world.headers }, ROUND_MS);
        if (typeof reply === 'string') throw new Error(`a call at ${at.place.name} was ${reply}`);
        history.push({ did: did(reply), sentAt, answeredAt: performance.now() });
      };
      const path = '/data/rest/register/id/control';
      const found = ({ json, version }: Reply): RegisterCall => {
        const [row] = (json as { data: { value: number }[] }).data;
        return { kind: 'read', found: { value: row!.value, version } };
      };
      const judged = () => judgeHistory<RegisterState, RegisterCall>(history, null, registerStep).is;

      await ask(local, { method: 'POST', path: '/data/rest/register', body: { id: 'control', value: 1 } }, () => ({
        kind: 'create',
        value: 1,
        outcome: 'done',
      }));
      local.place.link.cut(local.place.link.cuts.at(-1)!);
      onTestFinished(() => local.place.link.heal());
      const other = await until('another node serves', ROUND_MS, async () => {
        for (const node of world.others(local)) if ((await node.role()) === 'serves') return node;
        return null;
      });
      await ask(other, { method: 'PATCH', path, body: { value: 2 } }, ({ version }) => ({
        kind: 'update',
        value: 2,
        ifMatch: null,
        outcome: { version },
      }));
      await ask(other, { method: 'GET', path }, found);
      expect(judged()).toBe('linearizable');
      await ask(local, { method: 'GET', path }, found);
      expect(judged()).toBe('refused');
      local.place.link.heal();
      await until('it has ended', ROUND_MS, () => Promise.resolve(local.overtaken > overtaken ? true : null));
    },
  );

  test(`histories are linearizable in ${ROUNDS} faults`, { timeout: ROUNDS * ROUND_MS }, async () => {
    const seed = testSeed();
    const faults = new FaultRounds(world, seed);
    try {
      for (const name of planOf(new Random(seed), ROUNDS)) await faults.run(name);
      expect(await faults.lastFaults(), `seed ${seed}`).toEqual([]);
    } finally {
      await faults.end();
    }
    hasFound = false;
    console.log(JSON.stringify({ ...faults.figures, faults: faults.done }));
    const { stale, unknown, refused, takeovers } = faults.figures;
    for (const [what, count] of Object.entries({ stale, unknown, refused, takeovers }))
      expect(count, what).toBeGreaterThan(0);
  });
});

/** A short run has these two in any case. */
const FIRST = ['kill of the one that serves', 'cut link, until the other one serves'];

/** Then every fault once, in an order of the seed, and all of them again. */
function planOf(random: Random, count: number): string[] {
  const plan = [...FIRST];
  while (plan.length < count) {
    const left = faultsFor(WISH);
    while (left.length > 0) plan.push(...left.splice(random.below(left.length), 1));
  }
  return plan.slice(0, count);
}
