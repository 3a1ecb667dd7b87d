/** Two tenant hosts beside one: reads and durable creates of tenants that lie on all of them. */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bench, BenchCase } from './harness.ts';
import type { Figure } from './kit/figure.ts';
import { makeHive, startHive } from './kit/hive.ts';
import type { LoadRequest } from './kit/load-script.ts';
import { median, mediansOf } from './kit/stats.ts';
import { busyOf } from './kit/watch.ts';
import { unexpected, type LoadResult } from './kit/wrk-output.ts';
import { runWrk } from './kit/wrk.ts';
import { wake } from './tenants.bench.ts';

const TENANTS = 16;
const CONNECTIONS = 64;
const SECONDS = 10;
const WARM_SECONDS = 2;
/** Making the tenants, and the start. */
const MADE_SECONDS = 8;

const NEW_PLACE: LoadRequest['body'] = [
  '{"name":"',
  { kind: 'unique' },
  '","country":"CH","population":',
  { kind: 'random', below: 1e7 },
  '}',
];

interface Measured {
  readonly read: readonly LoadResult[];
  readonly create: readonly LoadResult[];
}

/** A node of its own with so many hosts: a tenant's shard, and with it its host, is fixed when it is made. */
async function measure(bench: Bench, hosts: number): Promise<Measured> {
  const { pairs, threads, seconds = SECONDS, connections = CONNECTIONS } = bench.options;
  const dir = await mkdtemp(join(bench.dataDir, 'hosts-'));
  try {
    const wish = { dir, tenants: TENANTS, active: TENANTS, hosts };
    await makeHive(wish);
    const hive = await startHive(wish);
    try {
      const { headers: turns } = await wake(hive);
      const load = (method: string, query: string, body: LoadRequest['body'], forSeconds: number) => {
        const request = { method, headers: { 'Content-Type': 'application/json' }, body, turns };
        return runWrk({
          url: `${hive.gateway}/data/rest/place${query}`,
          request,
          connections,
          threads,
          seconds: forSeconds,
        });
      };
      await load('GET', '?limit=1', null, Math.min(seconds, WARM_SECONDS));
      await load('POST', '', NEW_PLACE, Math.min(seconds, WARM_SECONDS));
      const [read, create]: [LoadResult[], LoadResult[]] = [[], []];
      for (let i = 0; i < pairs; i++) {
        read.push(await load('GET', '?limit=1', null, seconds));
        create.push(await load('POST', '', NEW_PLACE, seconds));
      }
      return { read, create };
    } finally {
      await hive.stop();
    }
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

const perSecond = (runs: readonly LoadResult[]): number => median(runs.map((run) => run.perSecond));

function figure(
  what: 'read' | 'create',
  hosts: number,
  runs: readonly LoadResult[],
  one: readonly LoadResult[],
): Figure {
  const beside = hosts === 1 ? {} : { ceiling: perSecond(one), ratio: perSecond(runs) / perSecond(one) };
  return {
    name: `hosts ${hosts}, ${what}`,
    unit: 'req/s',
    value: perSecond(runs),
    ...mediansOf(runs),
    runs: runs.map((run) => run.perSecond),
    ...beside,
    ...(hosts === 1 ? {} : { rival: { name: 'one host' } }),
    ...busyOf(runs),
    errors: runs.reduce((sum, run) => sum + unexpected(run, what === 'read' ? 200 : 201), 0),
    note: `${TENANTS} tenants in turn`,
  };
}

export const hosts: BenchCase = {
  name: 'hosts',
  measures: `reads and durable creates of ${TENANTS} tenants on one tenant host, and on two (--hosts: on one, and on so many)`,
  target: '',
  http: false,
  seconds: ({ pairs, seconds = SECONDS }) =>
    2 * (MADE_SECONDS + 2 * (pairs * seconds + Math.min(seconds, WARM_SECONDS))),
  async run(bench) {
    const one = await measure(bench, 1);
    const most = Math.max(2, bench.options.hosts ?? 2);
    const more = await measure(bench, most);
    return (['read', 'create'] as const).flatMap((what) => [
      figure(what, 1, one[what], one[what]),
      figure(what, most, more[what], one[what]),
    ]);
  },
};
