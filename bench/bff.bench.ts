/** The BFF: five calls in one answer, what composing adds to the slowest call, and an upstream that hangs beside. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Bench, BenchCase } from './harness.ts';
import { importLines, placeLines, withDataNode, type DataNode } from './kit/data-node.ts';
import type { Figure } from './kit/figure.ts';
import { httpSeconds, measureUrl } from './kit/http-load.ts';
import type { Options } from './kit/options.ts';
import { median, mediansOf } from './kit/stats.ts';
import { busyOf } from './kit/watch.ts';
import type { LoadResult } from './kit/wrk-output.ts';
import { runWrk } from './kit/wrk.ts';

const SECONDS = 10;
const WARM_SECONDS = 3;
/** Of the demo's cities every so many: some of each country. */
const EVERY = 7;
const SLOW_MS = 20;
const HANGING = 48;

interface Served {
  readonly node: DataNode;
  readonly upstream: string;
}

/** `/fast` answers at once, `/slow` after a while, `/hang` never. */
async function startUpstream(): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer(({ url = '' }, response) => {
    const answer = (): void => void response.end('{"n":1}');
    if (url.startsWith('/fast')) answer();
    else if (url.startsWith('/slow')) setTimeout(answer, SLOW_MS);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, port: (server.address() as AddressInfo).port };
}

async function withBff<T>(bench: Bench, work: (served: Served) => Promise<T>): Promise<T> {
  const { server, port } = await startUpstream();
  try {
    return await withDataNode(
      bench,
      async (node) => {
        const places = await placeLines();
        const lines = places.lines
          .toString()
          .split('\n')
          .filter((_, no) => no % EVERY === 0);
        await importLines(node, { lines: Buffer.from(lines.join('\n')), rows: lines.length });
        return work({ node, upstream: `http://127.0.0.1:${port}` });
      },
      { upstreamPort: port },
    );
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

async function load(url: string, node: DataNode | null, connections: number, seconds: number): Promise<LoadResult> {
  const headers = node === null ? {} : await node.headers();
  return runWrk({ url, request: { method: 'GET', headers, body: null }, connections, threads: 1, seconds });
}

/** Throws unless the endpoint answers 200, so that a figure is of what it says. */
async function expectServed(node: DataNode, path: string): Promise<void> {
  const answer = await fetch(node.gateway + path, { headers: await node.headers() });
  if (answer.status !== 200)
    throw new Error(`${path} answered ${answer.status} ${(await answer.text()).slice(0, 300)}`);
}

const errorsOf = (results: readonly LoadResult[]): number =>
  results.reduce((sum, { socketErrors, statusErrors }) => sum + socketErrors + statusErrors, 0);

const secondsOf =
  (runs: number) =>
  ({ pairs, seconds = SECONDS }: Options): number =>
    10 + WARM_SECONDS + runs * pairs * seconds;

export const bffFive: BenchCase = {
  name: 'bff-five',
  measures: 'an endpoint of five calls of the data service, 64 connections',
  target: '≥ 3,000 req/s',
  http: false,
  seconds: (options) => 10 + httpSeconds({ seconds: SECONDS }, options),
  run: (bench) =>
    withBff(bench, async ({ node }) => [
      await measureUrl(bench, {
        name: 'bff-five',
        url: `${node.gateway}/bff/five`,
        request: async () => ({ method: 'GET', headers: await node.headers(), body: null }),
        connections: 64,
        seconds: SECONDS,
        expect: 200,
        target: { of: 'value', bound: 'min', than: 3000 },
      }),
    ]),
};

export const bffSlowest: BenchCase = {
  name: 'bff-slowest',
  measures: `what an endpoint of five calls takes longer than its slowest (${SLOW_MS} ms), by p50, 8 connections`,
  target: '≤ 2 ms',
  http: false,
  seconds: secondsOf(2),
  run: (bench) =>
    withBff(bench, async ({ node, upstream }) => {
      const { pairs, seconds = SECONDS } = bench.options;
      await expectServed(node, '/bff/slowest');
      const runs: LoadResult[] = [];
      const wholes: LoadResult[] = [];
      const over: number[] = [];
      await load(`${node.gateway}/bff/slowest`, node, 8, WARM_SECONDS);
      for (let i = 0; i < pairs; i++) {
        const alone = await load(`${upstream}/slow`, null, 8, seconds);
        const whole = await load(`${node.gateway}/bff/slowest`, node, 8, seconds);
        runs.push(alone, whole);
        wholes.push(whole);
        over.push(whole.p50Ms - alone.p50Ms);
      }
      const figure: Figure = {
        name: 'bff-slowest over its slowest call',
        unit: 'ms',
        value: median(over),
        ...mediansOf(wholes),
        runs: over,
        ...busyOf(wholes),
        errors: errorsOf(runs),
        target: { of: 'value', bound: 'max', than: 2 },
      };
      return [figure];
    }),
};

export const bffHanging: BenchCase = {
  name: 'bff-hanging',
  measures: `p99 of an endpoint beside ${HANGING} callers of one whose upstream hangs, over its p99 alone, 8 connections`,
  target: '≤ 5 ms',
  http: false,
  seconds: secondsOf(2),
  run: (bench) =>
    withBff(bench, async ({ node }) => {
      const { pairs, seconds = SECONDS } = bench.options;
      await expectServed(node, '/bff/five');
      const runs: LoadResult[] = [];
      const besides: LoadResult[] = [];
      const over: number[] = [];
      await load(`${node.gateway}/bff/five`, node, 8, WARM_SECONDS);
      for (let i = 0; i < pairs; i++) {
        const alone = await load(`${node.gateway}/bff/five`, node, 8, seconds);
        const beside = await besideHanging(node, () => load(`${node.gateway}/bff/five`, node, 8, seconds));
        runs.push(alone, beside);
        besides.push(beside);
        over.push(beside.p99Ms - alone.p99Ms);
      }
      const figure: Figure = {
        name: 'bff-hanging p99 over alone',
        unit: 'ms',
        value: Math.max(0, median(over)),
        ...mediansOf(besides),
        runs: over,
        ...busyOf(besides),
        errors: errorsOf(runs),
        target: { of: 'value', bound: 'max', than: 5 },
      };
      return [figure];
    }),
};

/** Each waits for its answer and asks again; when the circuit is open it is refused at once, so it waits a little between. */
async function besideHanging<T>(node: DataNode, measure: () => Promise<T>): Promise<T> {
  const state = { going: true };
  const headers = await node.headers();
  const caller = async (_: unknown, no: number): Promise<void> => {
    for (let n = 0; state.going; n++) {
      await (await fetch(`${node.gateway}/bff/hanging?n=${no}-${n}`, { headers })).text();
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const callers = Array.from({ length: HANGING }, caller);
  try {
    return await measure();
  } finally {
    state.going = false;
    await Promise.all(callers);
  }
}
