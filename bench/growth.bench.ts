/** What reads and commits cost when an entity has grown fifty times: nothing that grows with it may be on their way. */
import type { BenchCase } from './harness.ts';
import { fillPlaces, withDataNode, type DataNode } from './kit/data-node.ts';
import type { Figure } from './kit/figure.ts';
import { number } from './kit/format.ts';
import { busyOf } from './kit/watch.ts';
import { runWrk } from './kit/wrk.ts';
import { unexpected, type LoadResult } from './kit/wrk-output.ts';

const SMALL = 100_000;
const CONNECTIONS = 64;
const SECONDS = 10;
const TIMES = 1.5;
const COMMIT_MS = 3;
/** Rows that an import brings in a second, for the estimate. */
const FILLED_PER_SECOND = 15_000;

interface Measured {
  readonly read: LoadResult;
  readonly list: LoadResult;
  readonly commit: LoadResult;
}

async function measure(node: DataNode, seconds: number): Promise<Measured> {
  const headers = await node.headers();
  const places = `${node.gateway}/data/rest/place`;
  const listed = await fetch(`${places}?country=CH&orderby=-population&limit=1`, { headers });
  const { data } = (await listed.json()) as { data: { id: string }[] };
  const get = (url: string) =>
    runWrk({ url, request: { method: 'GET', headers, body: null }, connections: CONNECTIONS, threads: 1, seconds });
  const create = [
    '{"name":"',
    { kind: 'unique' },
    '","country":"CH","population":',
    { kind: 'random', below: 1e7 },
    '}',
  ] as const;
  const request = { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body: create };
  return {
    read: await get(`${places}/id/${data[0]!.id}`),
    list: await get(`${places}?country=CH&orderby=-population&limit=20`),
    commit: await runWrk({ url: places, request, connections: 1, threads: 1, seconds }),
  };
}

/** The time of one at so many rows over its time at few. */
function times(name: string, small: LoadResult, large: LoadResult, rows: number): Figure {
  return {
    name,
    unit: 'req/s',
    value: large.perSecond,
    p50Ms: large.p50Ms,
    p99Ms: large.p99Ms,
    p999Ms: large.p999Ms,
    ...busyOf([large]),
    ceiling: small.perSecond,
    ratio: small.perSecond / large.perSecond,
    errors: unexpected(small, 200) + unexpected(large, 200),
    target: { of: 'ratio', bound: 'max', than: TIMES },
    note: `ratio: its time at ${number(rows)} rows to that at ${number(SMALL)}`,
  };
}

export const growth: BenchCase = {
  name: 'growth',
  measures: `read by id, list of 20 and one-row commit at ${number(SMALL)} rows and at --grown`,
  target: `≤ ${TIMES} ×, commit p50 < ${COMMIT_MS} ms`,
  http: false,
  seconds: ({ grown, seconds = SECONDS }) => grown / FILLED_PER_SECOND + 6 * seconds,
  run: (bench) =>
    withDataNode(bench, async (node) => {
      const { seconds = SECONDS } = bench.options;
      const grown = Math.max(bench.options.grown, SMALL);
      await fillPlaces(node, 0, SMALL);
      const small = await measure(node, seconds);
      bench.log(`  importing up to ${number(grown)} rows`);
      await fillPlaces(node, SMALL, grown);
      const large = await measure(node, seconds);
      return [
        times('read-by-id, grown', small.read, large.read, grown),
        times('list-20, grown', small.list, large.list, grown),
        {
          name: 'commit, grown',
          unit: 'req/s',
          value: large.commit.perSecond,
          p50Ms: large.commit.p50Ms,
          p99Ms: large.commit.p99Ms,
          p999Ms: large.commit.p999Ms,
          ...busyOf([large.commit]),
          errors: unexpected(large.commit, 201),
          target: { of: 'p50Ms', bound: 'max', than: COMMIT_MS },
          note: `one connection, ${number(grown)} rows present`,
        },
      ];
    }),
};
