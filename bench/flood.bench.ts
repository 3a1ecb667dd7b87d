/** A quiet tenant beside one that floods the node: turns are fair, so that it waits for cores and for nothing else. */
import type { BenchCase } from './harness.ts';
import { fillPlaces, importLines, placeLines, QUIET_TENANT, withDataNode, type DataNode } from './kit/data-node.ts';
import { ratioOf, type Pair } from './kit/figure.ts';
import { median } from './kit/stats.ts';
import { busyOf } from './kit/watch.ts';
import { runWrk } from './kit/wrk.ts';
import type { LoadResult } from './kit/wrk-output.ts';

const FLOOD = 64;
const SECONDS = 10;
const WARM_SECONDS = 4;
const ROWS = 100_000;
/** Slower than the door's own answer by no more than this. */
const TIMES = 2;

type Headers = Readonly<Record<string, string>>;

/** One caller that waits for each answer, while the other tenant's callers flood. */
async function beside(node: DataNode, url: string, headers: Headers, seconds: number): Promise<LoadResult> {
  const busy = { method: 'GET', headers: await node.headers(), body: null };
  const list = `${node.gateway}/data/rest/place?country=CH&orderby=-population&limit=20`;
  const flood = runWrk({ url: list, request: busy, connections: FLOOD, threads: 1, seconds: seconds + 1 });
  const quiet = await runWrk({
    url,
    request: { method: 'GET', headers, body: null },
    connections: 1,
    threads: 1,
    seconds,
  });
  await flood;
  return quiet;
}

export const neighbourFlood: BenchCase = {
  name: 'neighbour-flood',
  measures: `p99 of a quiet tenant's reads beside ${FLOOD} connections of another's lists, and of a door-only route beside the same`,
  target: `p99 ≤ ${TIMES} ×`,
  http: false,
  seconds: ({ pairs, seconds = SECONDS }) => 20 + 2 * pairs * (seconds + 1),
  run: (bench) =>
    withDataNode(bench, async (node) => {
      const { pairs: count, seconds = SECONDS } = bench.options;
      await fillPlaces(node, 0, ROWS);
      const { lines } = await placeLines();
      const few = lines.toString().split('\n').slice(0, 1000);
      await importLines(node, { lines: Buffer.from(few.join('\n')), rows: few.length }, QUIET_TENANT);
      const headers = await node.headers(QUIET_TENANT);
      const quietUrl = `${node.gateway}/data/rest/place?limit=1`;
      // A host that has compiled nothing yet answers its first seconds of a flood ten times slower.
      await beside(node, quietUrl, headers, WARM_SECONDS);
      const pairs: Pair[] = [];
      const runs: LoadResult[] = [];
      let errors = 0;
      for (let i = 0; i < count; i++) {
        // A bare 404 that the door gives by itself.
        const door = await beside(node, `${node.gateway}/nothing`, headers, seconds);
        const quiet = await beside(node, quietUrl, headers, seconds);
        runs.push(quiet);
        errors += quiet.socketErrors + quiet.statusErrors + door.socketErrors;
        pairs.push({ ceiling: door.p99Ms, value: quiet.p99Ms });
      }
      return [
        {
          name: 'neighbour-flood p99',
          unit: 'ms',
          value: median(pairs.map(({ value }) => value)),
          ceiling: median(pairs.map(({ ceiling }) => ceiling)),
          ratio: ratioOf(pairs),
          ...busyOf(runs),
          pairs,
          errors,
          target: { of: 'ratio', bound: 'max', than: TIMES },
          note: 'ratio to p99 of a route that the door answers, under the same flood',
        },
      ];
    }),
};
