/** A backup of a tenant beside its own reads: how fast it is, and what it costs them. No request may fail. */
import type { BenchCase } from './harness.ts';
import { fill, fillPlaces, withDataNode, type DataNode } from './kit/data-node.ts';
import type { Figure } from './kit/figure.ts';
import { number } from './kit/format.ts';
import { settled } from './kit/metrics.ts';
import { median } from './kit/stats.ts';
import { busyOf } from './kit/watch.ts';
import { runWrk } from './kit/wrk.ts';
import { unexpected, type LoadResult } from './kit/wrk-output.ts';

const CONNECTIONS = 16;
const SECONDS = 10;
const FILLED_PER_SECOND = 10_000;
/** Places, which are read; the backup is of as many sheets as --rows says, each of two kilobytes. */
const PLACES = 20_000;
const CHUNK = 20_000;
const SHEET_CHARS = 2000;

const sheetLines = (from: number, rows: number): Buffer =>
  Buffer.from(
    Array.from({ length: rows }, (_, at) => `{"body":"${String(from + at).padEnd(SHEET_CHARS, '. ')}"}`).join('\n'),
  );

/** Backups one after the other until the load has ended: their speeds in MB/s, each written, read back and named. */
async function backups(node: DataNode, load: Promise<unknown>): Promise<{ speeds: number[]; bytes: number }> {
  const speeds: number[] = [];
  let bytes = 0;
  const ended = new AbortController();
  void load.finally(() => ended.abort()).catch(() => undefined);
  do {
    const began = performance.now();
    bytes = await node.backup();
    speeds.push(bytes / 1e6 / ((performance.now() - began) / 1000));
  } while (!ended.signal.aborted);
  return { speeds, bytes };
}

export const backup: BenchCase = {
  name: 'backup',
  measures: `backups of --rows rows of 2 KB (500000 make 1 GB) one after the other beside ${CONNECTIONS} connections of reads of the same tenant`,
  target: 'no failed request',
  http: false,
  seconds: ({ rows, seconds = SECONDS }) => rows / FILLED_PER_SECOND + 2 * seconds + 10,
  run: (bench) =>
    withDataNode(bench, async (node) => {
      const { rows, seconds = SECONDS } = bench.options;
      await fillPlaces(node, 0, PLACES);
      await fill(node, 'sheet', { present: 0, wanted: rows, chunk: CHUNK }, sheetLines);
      await settled(node.operations);
      const request = { method: 'GET', headers: await node.headers(), body: null };
      const url = `${node.gateway}/data/rest/place?country=CH&orderby=-population&limit=20`;
      const read = (): Promise<LoadResult> => runWrk({ url, request, connections: CONNECTIONS, threads: 1, seconds });
      const alone = await read();
      const load = read();
      const { speeds, bytes } = await backups(node, load);
      const beside = await load;
      const errors = unexpected(alone, 200) + unexpected(beside, 200);
      const size = `${number(bytes / 1e6)} MB, ${number(rows)} rows`;
      const figures: Figure[] = [
        { name: 'backup', unit: 'MB/s', value: median(speeds), runs: speeds, ...busyOf([beside]), errors, note: size },
        {
          name: 'backup, reads beside it',
          unit: 'req/s',
          value: beside.perSecond,
          p50Ms: beside.p50Ms,
          p99Ms: beside.p99Ms,
          p999Ms: beside.p999Ms,
          ...busyOf([beside]),
          ceiling: alone.perSecond,
          ratio: beside.perSecond / alone.perSecond,
          errors,
          note: `ratio to the reads without it, whose p99 is ${number(alone.p99Ms)} ms`,
        },
      ];
      return figures;
    }),
};
