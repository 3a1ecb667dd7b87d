/** Import and export of whole entities over HTTP: an entity with two indexes, empty and at a million rows. */
import type { BenchCase } from './harness.ts';
import { fillPlaces, importLines, placeLines, withDataNode, type DataNode } from './kit/data-node.ts';
import type { Figure } from './kit/figure.ts';
import { number } from './kit/format.ts';
import { median } from './kit/stats.ts';
import { busyOf, watched, type Usage } from './kit/watch.ts';

const MILLION = 1_000_000;
/** About what a run takes, filling included. */
const EMPTY_SECONDS = 15;
const MILLION_SECONDS = 120;

interface Run {
  readonly value: number;
  readonly usage: Usage;
}

const rate = (name: string, runs: readonly Run[], than: number): Figure => ({
  name,
  unit: 'rows/s',
  value: median(runs.map(({ value }) => value)),
  runs: runs.map(({ value }) => value),
  ...busyOf(runs),
  errors: 0,
  target: { of: 'value', bound: 'min', than },
});

/** Reads an export to its end; rows a second. */
async function exported(node: DataNode, format: string, rows: number): Promise<number> {
  const headers = await node.headers();
  const began = performance.now();
  const url = `${node.gateway}/data/bulk?entity=place&format=${format}&limit=${rows}`;
  const answer = await fetch(url, { method: 'PATCH', headers });
  let lines = 0;
  for await (const bytes of answer.body!) for (const byte of bytes as Uint8Array) if (byte === 10) lines++;
  const expected = format === 'csv' ? rows + 1 : rows;
  if (answer.status !== 200 || lines !== expected)
    throw new Error(`the export gave ${lines} lines, ${expected} expected`);
  return (rows * 1000) / (performance.now() - began);
}

export const bulk: BenchCase = {
  name: 'bulk',
  measures: "import of the demo's cities with two indexes into an empty entity; export of them",
  target: '≥ 25,000, 150,000, 80,000 rows/s',
  http: false,
  seconds: ({ pairs }) => EMPTY_SECONDS * pairs,
  async run(bench) {
    const places = await placeLines();
    const runs: Record<'in' | 'jsonl' | 'csv', Run[]> = { in: [], jsonl: [], csv: [] };
    for (let i = 0; i < bench.options.pairs; i++)
      await withDataNode(bench, async (node) => {
        runs.in.push(await watched(() => importLines(node, places)));
        for (const format of ['jsonl', 'csv'] as const)
          runs[format].push(await watched(() => exported(node, format, places.rows)));
      });
    return [
      rate('import, empty', runs.in, 25_000),
      rate('export jsonl', runs.jsonl, 150_000),
      rate('export csv', runs.csv, 80_000),
    ];
  },
};

export const bulkMillion: BenchCase = {
  name: 'bulk-million',
  measures: 'the same import at --grown rows (at most a million)',
  target: '≥ 15,000 rows/s',
  http: false,
  seconds: ({ pairs, grown }) => (MILLION_SECONDS * Math.min(grown, MILLION)) / MILLION + EMPTY_SECONDS * pairs,
  run: (bench) =>
    withDataNode(bench, async (node) => {
      const places = await placeLines();
      const present = Math.min(bench.options.grown, MILLION);
      bench.log(`  importing ${number(present)} rows`);
      await fillPlaces(node, 0, present);
      const runs: Run[] = [];
      for (let i = 0; i < bench.options.pairs; i++) runs.push(await watched(() => importLines(node, places)));
      return [rate(`import, ${number(present)} rows present`, runs, 15_000)];
    }),
};
