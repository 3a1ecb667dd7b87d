/** Reads and creates at a constant rate, half of what the closed loop finds in the same run: what independent callers meet. */
import type { Bench, BenchCase } from './harness.ts';
import { createUrl, rowUrl, type DevFile } from './kit/dev-file.ts';
import type { Figure } from './kit/figure.ts';
import { number } from './kit/format.ts';
import { runH2load } from './kit/h2load.ts';
import { busyOf } from './kit/watch.ts';
import { runWrk } from './kit/wrk.ts';

const SECONDS = 20;
const CONNECTIONS = 64;
/** Below this share of the rate that was asked for the load itself fell behind, and hides what it should show. */
const KEPT_MIN = 0.98;

interface Rated {
  readonly name: string;
  readonly method: 'GET' | 'POST';
  readonly url: (dev: DevFile) => string;
  readonly body: (dev: DevFile) => string | null;
  readonly expect: number;
}

async function measure(bench: Bench, { name, method, url, body, expect }: Rated): Promise<Figure> {
  const { dev } = await bench.server();
  const { threads, seconds = SECONDS, connections = CONNECTIONS } = bench.options;
  const text = body(dev);
  const headers = {
    ...dev.headers,
    Authorization: `Bearer ${await bench.token()}`,
    'Content-Type': 'application/json',
  };
  const request = { method, headers, body: text === null ? null : [text] };
  const most = await runWrk({ url: url(dev), request, connections, threads, seconds: Math.ceil(seconds / 2) });
  const perSecond = most.perSecond / 2;
  const result = await runH2load({
    url: url(dev),
    headers,
    body: text,
    connections,
    perSecond,
    seconds,
  });
  const { statuses, goodPerSecond, p50Ms, p99Ms, p999Ms } = result;
  const errors = [...statuses].reduce((sum, [status, count]) => (status === expect ? sum : sum + count), 0);
  const behind = goodPerSecond < KEPT_MIN * perSecond ? '; THE LOAD FELL BEHIND: stalls are hidden' : '';
  const note = `${number(goodPerSecond)} of ${number(perSecond)} req/s kept${behind}`;
  return { name, unit: 'ms', value: p99Ms, p50Ms, p99Ms, p999Ms, ...busyOf([result]), errors, note };
}

const rated = (spec: Rated, measures: string): BenchCase => ({
  name: spec.name,
  measures,
  target: '',
  http: true,
  seconds: ({ seconds = SECONDS }) => 1.5 * seconds,
  run: async (bench) => [await measure(bench, spec)],
});

export const readRate = rated(
  { name: 'read-rate', method: 'GET', url: rowUrl, body: () => null, expect: 200 },
  'p99 of a read by id at half of the highest rate, constant (h2load)',
);

/** Every create is the same row: h2load sends one body. */
export const createRate = rated(
  {
    name: 'create-rate',
    method: 'POST',
    url: createUrl,
    body: (dev) => JSON.stringify(dev.sample.create),
    expect: 201,
  },
  'p99 of a durable create at half of the highest rate, constant (h2load)',
);
