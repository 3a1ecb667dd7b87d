/** What runaway expressions and scripts cost those who have none: their job threads take cores, and must take nothing else. */
import type { BenchCase } from './harness.ts';
import { fillPlaces, withDataNode } from './kit/data-node.ts';
import type { DataNode } from './kit/data-node.ts';
import { ratioOf } from './kit/figure.ts';
import type { Pair } from './kit/figure.ts';
import { beside, busyLoops, callers } from './kit/neighbour.ts';
import type { Neighbour } from './kit/neighbour.ts';
import { median } from './kit/stats.ts';
import { busyOf } from './kit/watch.ts';
import { unexpected } from './kit/wrk-output.ts';
import type { LoadResult } from './kit/wrk-output.ts';
import { runWrk } from './kit/wrk.ts';

const RUNAWAYS = 16;
const THREADS = 2;
const CONNECTIONS = 8;
const SECONDS = 10;
const ROWS = 1000;
const EXPRESSION = encodeURIComponent('last(range(1e12))');
/** A runaway ends by its budget, or it is told to come again. */
const ENDS: ReadonlySet<number> = new Set([500, 503]);

type Headers = Readonly<Record<string, string>>;

function runaways({ gateway }: DataNode, headers: Headers): Neighbour {
  return callers(RUNAWAYS, async (no) => {
    const path = no % 2 === 0 ? `/data/rest/place?limit=1&expression=${EXPRESSION}` : '/data/x/loop';
    const answer = await fetch(gateway + path, { headers });
    const text = await answer.text();
    if (!ENDS.has(answer.status)) throw new Error(`${path} was answered ${answer.status} ${text.slice(0, 200)}`);
    // Who is told to come again does, and not at once.
    if (answer.status === 503) await new Promise((resolve) => setTimeout(resolve, 1000));
  });
}

export const runawayNeighbours: BenchCase = {
  name: 'runaway-neighbours',
  measures: `p99 of reads beside ${RUNAWAYS} runaway expressions and scripts, and beside as many busy loops as there are job threads`,
  target: 'p99 ≤ 2 ×',
  http: false,
  seconds: ({ pairs, seconds = SECONDS }) => 2 * pairs * (seconds + 3) + 10,
  run: ({ dataDir, options }) =>
    withDataNode(
      dataDir,
      async (node) => {
        await fillPlaces(node, 0, ROWS);
        const headers = await node.headers();
        const { pairs: count, seconds = SECONDS } = options;
        const read = { url: `${node.gateway}/data/rest/place?limit=1`, connections: CONNECTIONS, threads: 1, seconds };
        const load = () => runWrk({ ...read, request: { method: 'GET', headers, body: null } });
        const pairs: Pair[] = [];
        const runs: LoadResult[] = [];
        let errors = 0;
        for (let i = 0; i < count; i++) {
          const busy = await beside(busyLoops(THREADS), load);
          const run = await beside(runaways(node, headers), load);
          runs.push(run);
          errors += unexpected(busy, 200) + unexpected(run, 200);
          pairs.push({ ceiling: busy.p99Ms, value: run.p99Ms });
        }
        return [
          {
            name: 'runaway-neighbours p99',
            unit: 'ms',
            value: median(pairs.map(({ value }) => value)),
            ceiling: median(pairs.map(({ ceiling }) => ceiling)),
            ratio: ratioOf(pairs),
            ...busyOf(runs),
            pairs,
            errors,
            target: { of: 'ratio', bound: 'max', than: 2 },
            note: `ratio to p99 beside ${THREADS} busy loops`,
          },
        ];
      },
      `jobs: { threads: ${THREADS} }`,
    ),
};
