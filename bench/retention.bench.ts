/** What a pass of retention costs who reads meanwhile: p99 of reads by id, without it and beside it. */
import type { BenchCase } from './harness.ts';
import { BUSY_TENANT, fillPlaces, withDataNode } from './kit/data-node.ts';
import type { DataNode } from './kit/data-node.ts';
import { number } from './kit/format.ts';
import { busyOf } from './kit/watch.ts';
import { runWrk } from './kit/wrk.ts';
import { unexpected } from './kit/wrk-output.ts';

const ROWS_MAX = 1_000_000;
const PLACES = 10_000;
const CHUNK = 50_000;
const CONNECTIONS = 16;
const SECONDS = 10;
const ABOVE_MS = 5;

async function fillStays(node: DataNode, rows: number): Promise<void> {
  for (let there = 0; there < rows; there += CHUNK) {
    const lines = Array.from({ length: Math.min(CHUNK, rows - there) }, (_, at) =>
      JSON.stringify({ left: '2020-01-01', guest: `guest ${there + at}` }),
    );
    const headers = await node.headers();
    const url = `${node.gateway}/data/bulk?entity=stay&format=jsonl`;
    const answer = await fetch(url, { method: 'POST', headers, body: lines.join('\n') });
    if (!answer.ok) throw new Error(`the import answered ${answer.status} ${await answer.text()}`);
  }
}

/** Passes of retention until `stop` says so, or nothing is left; the rows that went. */
async function retain(node: DataNode, stop: AbortSignal): Promise<number> {
  let purged = 0;
  while (!stop.aborted) {
    const body = { phases: ['purge'], entities: ['stay'], max_rows_per_pass: 20_000 };
    const { body: report } = await node.admin({ tenant: BUSY_TENANT, row: 'retention_run', method: 'POST', body });
    const applied = (report as { total_applied: number }).total_applied;
    purged += applied;
    if (applied === 0) break;
  }
  return purged;
}

export const retention: BenchCase = {
  name: 'retention',
  measures: `read by id with ${CONNECTIONS} connections, without and beside a retention of --grown rows (at most ${number(ROWS_MAX)})`,
  target: `p99 at most ${ABOVE_MS} ms above`,
  http: false,
  seconds: ({ grown, seconds = SECONDS }) => Math.min(grown, ROWS_MAX) / 10_000 + 2 * seconds,
  run: (bench) =>
    withDataNode(bench.dataDir, async (node) => {
      const { seconds = SECONDS } = bench.options;
      const rows = Math.min(bench.options.grown, ROWS_MAX);
      await fillPlaces(node, 0, PLACES);
      bench.log(`  importing ${number(rows)} rows whose time is over`);
      await fillStays(node, rows);
      const headers = await node.headers();
      const listed = await fetch(`${node.gateway}/data/rest/place?limit=1`, { headers });
      const { data } = (await listed.json()) as { data: { id: string }[] };
      const url = `${node.gateway}/data/rest/place/id/${data[0]!.id}`;
      const request = { method: 'GET', headers, body: null } as const;
      const read = () => runWrk({ url, request, connections: CONNECTIONS, threads: 1, seconds });
      const without = await read();
      const stop = new AbortController();
      const retaining = retain(node, stop.signal);
      const beside = await read();
      stop.abort();
      const purged = await retaining;
      const above = (beside.p99Ms ?? 0) - (without.p99Ms ?? 0);
      return [
        {
          name: 'read-by-id p99, above without retention',
          unit: 'ms',
          value: above,
          ...busyOf([beside]),
          errors: unexpected(without, 200) + unexpected(beside, 200),
          target: { of: 'value', bound: 'max', than: ABOVE_MS },
          note: `p99 ${beside.p99Ms} ms beside, ${without.p99Ms} ms without; ${number(purged)} rows went, ${number(rows)} were there`,
        },
      ];
    }),
};
