/** What runaway expressions and scripts cost callers that have none: their job threads take cores, and must take nothing else. */
import type { BenchCase } from './harness.ts';
import { fillPlaces, withDataNode, type DataNode } from './kit/data-node.ts';
import { besideLoops, callers, type Neighbour } from './kit/neighbour.ts';
import { runWrk } from './kit/wrk.ts';

const RUNAWAYS = 16;
/** Job threads, where there are no more hosts. */
const THREADS = 2;
const CONNECTIONS = 8;
const SECONDS = 10;
const ROWS = 1000;
const EXPRESSION = encodeURIComponent('last(range(1e12))');
/** A runaway ends by its budget, or it is refused and asked to retry later. */
const ENDS: ReadonlySet<number> = new Set([500, 503]);

type Headers = Readonly<Record<string, string>>;

function runaways({ gateway }: DataNode, headers: Headers): Neighbour {
  return callers(RUNAWAYS, async (no) => {
    const path = no % 2 === 0 ? `/data/rest/place?limit=1&expression=${EXPRESSION}` : '/data/x/loop';
    const answer = await fetch(gateway + path, { headers });
    const text = await answer.text();
    if (!ENDS.has(answer.status)) throw new Error(`${path} was answered ${answer.status} ${text.slice(0, 200)}`);
    // A refused caller retries, but not at once.
    if (answer.status === 503) await new Promise((resolve) => setTimeout(resolve, 1000));
  });
}

export const runawayNeighbours: BenchCase = {
  name: 'runaway-neighbours',
  measures: `p99 of reads beside ${RUNAWAYS} runaway expressions and scripts, and beside as many busy loops as there are job threads`,
  target: 'p99 ≤ 2 ×',
  http: false,
  seconds: ({ pairs, seconds = SECONDS }) => 2 * pairs * (seconds + 3) + 10,
  run: (bench) => {
    const { pairs, hosts = 1, seconds = SECONDS } = bench.options;
    const threads = Math.max(THREADS, hosts);
    return withDataNode(
      bench,
      async (node) => {
        await fillPlaces(node, 0, ROWS);
        const headers = await node.headers();
        const read = { url: `${node.gateway}/data/rest/place?limit=1`, connections: CONNECTIONS, threads: 1, seconds };
        const load = () => runWrk({ ...read, request: { method: 'GET', headers, body: null } });
        const neighbour = () => runaways(node, headers);
        return [await besideLoops({ name: 'runaway-neighbours', pairs, load, neighbour, threads, times: 2 })];
      },
      { more: `jobs: { threads: ${threads} }` },
    );
  },
};
