/** What a tenant that is awake costs in memory on one node of a log, and on three that share out the hosts of three times as many. The database is not counted. */
import { setTimeout as sleep } from 'node:timers/promises';
import { serviceHeaders } from '#test/crash/carried/clients.ts';
import { NodePair } from '#test/kit/node-pair.ts';
import { hasPostgres } from '#test/kit/postgres-server.ts';
import { call } from '#test/kit/test-node.ts';
import { FIRST_START_SECONDS, type BenchCase } from './harness.ts';
import { spread } from './kit/carriers.ts';
import type { Figure } from './kit/figure.ts';
import { number } from './kit/format.ts';
import { residentBytesOf } from './kit/machine.ts';

const TENANTS_A_NODE = 200;
const ROWS = 5;
const SHARDS = 12;
const PLACES = 6;
const HOSTS = 2;
const LEASE_MS = 15_000;
/** Threads give back what a load left when they were idle for ten seconds. */
const SETTLED_MS = 20_000;
const RATIO_MAX = 1.1;
const CREATED = 201;

interface Measured {
  readonly nodes: number;
  readonly tenants: number;
  /** Of all nodes together: before the first request, and behind the last one. */
  readonly idleBytes: number;
  readonly usedBytes: number;
}

async function measure(nodes: number): Promise<Measured> {
  const tenants = nodes * TENANTS_A_NODE;
  const further = Array.from({ length: tenants }, (_, no) => `acme:shop:dev:t${no}`);
  const pair = await NodePair.start({
    shards: SHARDS,
    leaseMs: LEASE_MS,
    hosts: HOSTS,
    places: PLACES,
    hasLinks: true,
    further,
  });
  try {
    const [one, two] = pair.machines;
    const pids = [(await pair.serve(one)).pid];
    if (nodes > 1) {
      for (const machine of [two, await pair.another('n3')]) pids.push((await pair.standby(machine)).pid);
      await spread(one, ['n1', 'n2', 'n3'], SHARDS);
    }
    const bytes = async (): Promise<number> => {
      await sleep(SETTLED_MS);
      return pids.reduce((sum, pid) => sum + residentBytesOf(pid), 0);
    };
    const idleBytes = await bytes();
    for (const [tenant, key] of pair.keys) await wake(one.gateway, tenant, key);
    return { nodes, tenants, idleBytes, usedBytes: await bytes() };
  } finally {
    await pair.stop();
  }
}

async function wake(door: string, tenant: string, key: string): Promise<void> {
  const headers = await serviceHeaders(door, tenant, key);
  for (let no = 0; no < ROWS; no++) {
    const row = { name: `row ${no}`, token: `row ${no}` };
    const { status, text } = await call(door, 'POST', '/data/rest/item', headers, row);
    if (status !== CREATED) throw new Error(`${tenant}: ${status} ${text}`);
  }
}

const eachMb = ({ idleBytes, tenants, usedBytes }: Measured): number => (usedBytes - idleBytes) / tenants / 1e6;

function figureOf(one: Measured, alone: Measured): Figure {
  const { idleBytes, nodes, tenants, usedBytes } = one;
  const whole = `${number(idleBytes / 1e6)} MB idle, ${number(usedBytes / 1e6)} MB with ${number(tenants)} tenants awake`;
  return {
    name: `memory per awake tenant, ${nodes === 1 ? 'one node' : `${nodes} nodes`}`,
    unit: 'MB',
    value: eachMb(one),
    errors: 0,
    note: `${whole}, ${ROWS} rows of each`,
    ...(one !== alone && {
      ceiling: eachMb(alone),
      ratio: eachMb(one) / eachMb(alone),
      target: { of: 'ratio', bound: 'max', than: RATIO_MAX } as const,
    }),
  };
}

export const carriedTenants: BenchCase = {
  name: 'carried-tenants',
  measures: `memory of each awake tenant: ${TENANTS_A_NODE} on one node of a log, and as many on each of three that share out their hosts`,
  target: `≤ ${RATIO_MAX} ×`,
  http: false,
  seconds: () => 2 * (2 * FIRST_START_SECONDS + (2 * SETTLED_MS) / 1000 + 30),
  async run() {
    if (!hasPostgres) throw new Error('there is no PostgreSQL on this machine: apt-get install postgresql');
    const alone = await measure(1);
    return [figureOf(alone, alone), figureOf(await measure(3), alone)];
  },
};
