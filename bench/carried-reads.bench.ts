/**
 * One row by its key on three nodes of one log, of which one carries the tenant's host: at the door of that node, at the door of another one, which sends on, and at the node that serves for a tenant of its own;
 * each beside a single node whose files acknowledge, in turns. All nodes, the database and the load share the machine.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serviceHeaders } from '#test/crash/carried/clients.ts';
import { NodePair, type PairMachine } from '#test/kit/node-pair.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { hasPostgres } from '#test/kit/postgres-server.ts';
import { startProcess } from '#test/kit/process-node.ts';
import { call, startTestNode, type Headers } from '#test/kit/test-node.ts';
import { FIRST_START_SECONDS, type Bench, type BenchCase } from './harness.ts';
import { listed, nodesOf, spread } from './kit/carriers.ts';
import type { Figure } from './kit/figure.ts';
import { figureOf, warmSeconds, type Round } from './kit/two-nodes.ts';
import { runWrk } from './kit/wrk.ts';
import type { LoadResult } from './kit/wrk-output.ts';

const SECONDS = 10;
const WARM_SECONDS = 3;
const CONNECTIONS = 64;
const SHARDS = 12;
const PLACES = 6;
const LEASE_MS = 15_000;
const OWNER_MIN = 0.95;
const FORWARDED_MIN = 0.5;
const OK = 200;
const FURTHER = Array.from({ length: 11 }, (_, no) => `acme:shop:dev:t${no}`);
const NODES = ['n1', 'n2', 'n3'] as const;

/** A row, and who may read it. */
interface Row {
  readonly id: string;
  readonly headers: Headers;
}

/** What is read in turns with the single node. */
interface Way {
  readonly name: string;
  readonly door: string;
  readonly row: Row;
  readonly min: number;
  readonly note: string;
}

export const carriedReads: BenchCase = {
  name: 'carried-reads',
  measures: `one row by its key on three nodes that share out their hosts, beside a single node, ${CONNECTIONS} connections`,
  target: `≥ ${OWNER_MIN} × at the node that has the host, ≥ ${FORWARDED_MIN} × at another one`,
  http: false,
  seconds: ({ pairs, seconds = SECONDS }) => 5 * (FIRST_START_SECONDS + pairs * seconds) + warmSeconds,
  async run(bench) {
    if (!hasPostgres) throw new Error('there is no PostgreSQL on this machine: apt-get install postgresql');
    const dir = mkdtempSync(join(tmpdir(), 'skep-carried-reads-'));
    const pair = await NodePair.start({
      shards: SHARDS,
      leaseMs: LEASE_MS,
      hosts: 2,
      places: PLACES,
      hasLinks: true,
      isDurable: true,
      further: FURTHER,
    });
    try {
      const single = await singleNode(dir);
      try {
        const ways = await threeNodes(pair);
        const figures: Figure[] = [];
        for (const way of ways) figures.push(await inTurns(bench, single, way));
        return figures;
      } finally {
        await single.end();
      }
    } finally {
      await pair.stop();
      rmSync(dir, { recursive: true, force: true });
    }
  },
};

async function singleNode(dir: string) {
  const prepared = await startTestNode({ dir, hosts: 2 });
  await prepared.stop();
  const node = await startProcess(join(dir, 'platform.yaml'));
  const door = node.listeners['gateway']!;
  return { door, row: await rowAt(door, TENANT, prepared.serviceKey), end: () => node.end('SIGTERM') };
}

async function rowAt(door: string, tenant: string, key: string): Promise<Row> {
  const headers = await serviceHeaders(door, tenant, key);
  const { json, status, text } = await call(door, 'POST', '/data/rest/item', headers, { name: 'read', token: 'read' });
  if (status !== 201) throw new Error(`no row: ${status} ${text}`);
  return { headers, id: (json as { data: { id: string }[] }).data[0]!.id };
}

/** Three nodes, each with a third of the shards; a tenant of the one that serves, and one of another. */
async function threeNodes(pair: NodePair): Promise<readonly Way[]> {
  const [one, two] = pair.machines;
  const three = await pair.another('n3');
  await pair.serve(one);
  for (const machine of [two, three]) await pair.standby(machine);
  await spread(one, NODES, SHARDS);
  const [own, carried] = [await rowOn('n1', one, pair), await rowOn('n2', one, pair)];
  return [
    {
      name: 'owner-reads',
      door: one.gateway,
      row: own,
      min: OWNER_MIN,
      note: 'at the node that serves, which has the host',
    },
    { name: 'carried-reads', door: two.gateway, row: carried, min: OWNER_MIN, note: 'at a node that carries the host' },
    {
      name: 'carried-reads-sent',
      door: one.gateway,
      row: carried,
      min: FORWARDED_MIN,
      note: 'at the node that serves, which sends to the one with the host',
    },
    {
      name: 'carried-reads-across',
      door: three.gateway,
      row: carried,
      min: FORWARDED_MIN,
      note: 'at a third node, which sends to the one with the host',
    },
  ];
}

/** A row of a tenant whose host that node runs. */
async function rowOn(name: string, machine: PairMachine, pair: NodePair): Promise<Row> {
  const nodes = await nodesOf(machine);
  for (const [tenant, key] of pair.keys) {
    const { shard } = (await listed(`tenant status ${tenant}`, machine)) as { shard: number };
    if (nodes[shard] === name) return rowAt(machine.gateway, tenant, key);
  }
  throw new Error(`${name} has the host of no tenant`);
}

async function inTurns(bench: Bench, single: { readonly door: string; readonly row: Row }, way: Way): Promise<Figure> {
  const { connections = CONNECTIONS, pairs, seconds = SECONDS, threads } = bench.options;
  const read = (door: string, { headers, id }: Row, length: number): Promise<LoadResult> =>
    runWrk({
      url: `${door}/data/rest/item/id/${id}`,
      request: { method: 'GET', headers, body: null },
      connections,
      threads,
      seconds: length,
    });
  const warm = Math.min(seconds, WARM_SECONDS);
  await read(single.door, single.row, warm);
  await read(way.door, way.row, warm);
  const rounds: Round[] = [];
  for (let no = 1; no <= pairs; no++)
    rounds.push({ plain: await read(single.door, single.row, seconds), other: await read(way.door, way.row, seconds) });
  const target = { of: 'ratio', bound: 'min', than: way.min } as const;
  return figureOf(way.name, rounds, { target, note: `${way.note}, beside a single node` }, OK);
}
