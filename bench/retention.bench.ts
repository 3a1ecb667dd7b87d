/** What a pass of retention costs readers: p99 of reads by id, without it and beside it. */
import type { BenchCase } from './harness.ts';
import { besideReads } from './kit/beside.ts';
import { BUSY_TENANT, fill, fillPlaces, withDataNode, type DataNode } from './kit/data-node.ts';
import { number } from './kit/format.ts';

const ROWS_MAX = 1_000_000;
const PLACES = 10_000;
const CHUNK = 100_000;
const PASS_ROWS = 20_000;
const SECONDS = 10;
/** Rows that are imported and taken away again in a second, for the estimate. */
const ROWS_PER_SECOND = 8000;

const stayLines = (from: number, rows: number): Buffer =>
  Buffer.from(Array.from({ length: rows }, (_, at) => `{"left":"2020-01-01","guest":"guest ${from + at}"}`).join('\n'));

/** Passes of retention until nothing is left; the rows that went. */
async function retain(node: DataNode): Promise<number> {
  const body = { phases: ['purge'], entities: ['stay'], max_rows_per_pass: PASS_ROWS };
  for (let purged = 0; ;) {
    const { status, body: report } = await node.admin({
      tenant: BUSY_TENANT,
      row: 'retention_run',
      method: 'POST',
      body,
    });
    if (status !== 200) throw new Error(`retention answered ${status} ${JSON.stringify(report)}`);
    const { total_applied: applied } = report as { total_applied: number };
    purged += applied;
    if (applied === 0) return purged;
  }
}

export const retention: BenchCase = {
  name: 'retention',
  measures: `read by id without and beside a retention of --grown rows (at most ${number(ROWS_MAX)}), until all are gone`,
  target: 'p99 at most 5 ms above',
  http: false,
  seconds: ({ grown, seconds = SECONDS }) => Math.min(grown, ROWS_MAX) / ROWS_PER_SECOND + 2 * seconds,
  run: (bench) =>
    withDataNode(bench, async (node) => {
      const { seconds = SECONDS } = bench.options;
      const rows = Math.min(bench.options.grown, ROWS_MAX);
      await fillPlaces(node, 0, PLACES);
      bench.log(`  importing ${number(rows)} rows whose time is over`);
      await fill(node, 'stay', { present: 0, wanted: rows, chunk: CHUNK }, stayLines);
      const work = async (): Promise<string> => {
        const began = performance.now();
        const purged = await retain(node);
        return `${number(purged)} of ${number(rows)} rows went in ${number((performance.now() - began) / 1000)} s`;
      };
      const name = 'read-by-id p99, above without retention';
      return [await besideReads(node, { name, entity: 'place', seconds, work }, (text) => bench.log(text))];
    }),
};
