/** Declared actions and scripted endpoints over HTTP, each beside the REST read of the same row in the same run. */
import type { Bench, BenchCase } from './harness.ts';
import { withDataNode, type DataNode, type NodeWish } from './kit/data-node.ts';
import type { Figure, Target } from './kit/figure.ts';
import type { Options } from './kit/options.ts';
import { median } from './kit/stats.ts';
import { busyOf } from './kit/watch.ts';
import { runWrk } from './kit/wrk.ts';
import { unexpected, type LoadResult } from './kit/wrk-output.ts';

const CONNECTIONS = 64;
const SECONDS = 10;
const WARM_SECONDS = 2;
const STALLS = 50;
const SALES = 100;
/** One tenant host with one job thread, whatever the machine has: what is promised is promised of one. More of both by flag. */
const hostsOf = ({ hosts = 1 }: Options): number => hosts;
const wishOf = (options: Options): NodeWish => ({
  hosts: hostsOf(options),
  more: `jobs: { threads: ${hostsOf(options)} }`,
});

type Headers = Readonly<Record<string, string>>;

async function created(node: DataNode, headers: Headers, entity: string, row: object): Promise<string> {
  const init = { method: 'POST', headers, body: JSON.stringify(row) };
  const answer = await fetch(`${node.gateway}/data/rest/${entity}`, init);
  const text = await answer.text();
  if (answer.status !== 201) throw new Error(`${entity}: ${answer.status} ${text.slice(0, 300)}`);
  return (JSON.parse(text) as { data: { id: string }[] }).data[0]!.id;
}

/** Fills the market; the id of one stall. */
async function filled(node: DataNode, headers: Headers): Promise<string> {
  const stalls: string[] = [];
  for (let i = 0; i < STALLS; i++)
    stalls.push(await created(node, headers, 'stall', { name: `stall ${i}`, note: 'under the lime tree' }));
  for (let i = 0; i < SALES; i++)
    await created(node, headers, 'sale', { stall_id: stalls[i % STALLS], qty: i, price: '2.25' });
  return stalls[0]!;
}

/** What a path must answer, so that a wrong answer is not measured as a fast one. */
type Check = (answer: Record<string, unknown>) => boolean;

async function probe(url: string, headers: Headers, check: Check): Promise<void> {
  const answer = await fetch(url, { headers });
  const text = await answer.text();
  if (answer.status !== 200 || !check(JSON.parse(text) as Record<string, unknown>))
    throw new Error(`${url} answered ${answer.status} ${text.slice(0, 300)}`);
}

interface Spec {
  readonly name: string;
  readonly path: (id: string) => string;
  readonly check: Check;
  readonly target: Target;
}

function caseOf(spec: Spec, measures: string, target: string, seconds: number, connections: number): BenchCase {
  return {
    name: spec.name,
    measures,
    target,
    http: false,
    seconds: (options) => 15 + 2 * (options.pairs * (options.seconds ?? seconds) + WARM_SECONDS),
    run: (bench) =>
      withDataNode(bench, (node) => beside(bench, node, spec, seconds, connections), wishOf(bench.options)),
  };
}

/** Alternating pairs: the REST read of a row, and the case. The ratio is of the first. */
async function beside(
  { options }: Bench,
  node: DataNode,
  { name, path, check, target }: Spec,
  seconds: number,
  connections: number,
): Promise<Figure[]> {
  const hosts = hostsOf(options);
  const headers = await node.headers();
  const id = await filled(node, headers);
  const rest = `${node.gateway}/data/rest/stall/id/${id}`;
  const work = `${node.gateway}${path(id)}`;
  await probe(rest, headers, ({ count }) => count === 1);
  await probe(work, headers, check);
  const load = (url: string, forSeconds: number) => run(options, url, headers, forSeconds, connections);
  await load(rest, WARM_SECONDS);
  await load(work, WARM_SECONDS);
  const rounds: { readonly rest: LoadResult; readonly work: LoadResult }[] = [];
  for (let i = 0; i < options.pairs; i++) {
    const first = i % 2 === 0 ? rest : work;
    const one = await load(first, options.seconds ?? seconds);
    const other = await load(first === rest ? work : rest, options.seconds ?? seconds);
    rounds.push(first === rest ? { rest: one, work: other } : { rest: other, work: one });
  }
  const pairs = rounds.map((round) => ({ ceiling: round.rest.perSecond, value: round.work.perSecond }));
  return [
    {
      name,
      unit: 'req/s',
      value: median(pairs.map(({ value }) => value)),
      p50Ms: median(rounds.map((round) => round.work.p50Ms)),
      p99Ms: median(rounds.map((round) => round.work.p99Ms)),
      p999Ms: median(rounds.map((round) => round.work.p999Ms)),
      ceiling: median(pairs.map(({ ceiling }) => ceiling)),
      ratio: median(pairs.map(({ value, ceiling }) => value / ceiling)),
      pairs,
      ...busyOf(rounds.map((round) => round.work)),
      errors: rounds.reduce((sum, round) => sum + unexpected(round.rest, 200) + unexpected(round.work, 200), 0),
      target,
      note: `the ceiling is the REST read of one row; ${hosts === 1 ? 'one host, one job thread' : `${hosts} hosts and job threads`}`,
    },
  ];
}

function run({ threads }: Options, url: string, headers: Headers, seconds: number, connections: number) {
  return runWrk({ url, request: { method: 'GET', headers, body: null }, connections, threads, seconds });
}

const hasRows =
  (count: number): Check =>
  (answer) =>
    answer['count'] === count;

/** 1.5 times as long is two thirds as many. */
const RATIO_MIN = 2 / 3;

export const actionRead: BenchCase = caseOf(
  {
    name: 'action-read',
    path: (id) => `/data/actions/stall?id=${id}`,
    check: hasRows(1),
    target: { of: 'ratio', bound: 'min', than: RATIO_MIN },
  },
  `declared SQL that reads one row by its key, and the REST read of that row, ${CONNECTIONS} connections`,
  'within 1.5 × of the REST read',
  SECONDS,
  CONNECTIONS,
);

export const actionJoin: BenchCase = caseOf(
  {
    name: 'action-join',
    path: () => '/data/actions/takings',
    check: hasRows(STALLS),
    target: { of: 'p50Ms', bound: 'max', than: 20 },
  },
  `declared SQL that joins ${STALLS} and ${SALES} rows, groups, sums and sorts, one connection`,
  'under 20 ms',
  SECONDS,
  1,
);

export const endpointRead: BenchCase = caseOf(
  {
    name: 'endpoint-read',
    path: (id) => `/data/x/stall?id=${id}`,
    check: ({ name }) => name === 'stall 0',
    target: { of: 'value', bound: 'min', than: 8000 },
  },
  `a scripted endpoint that reads one row, ${CONNECTIONS} connections`,
  '8,000/s on one job thread',
  SECONDS,
  CONNECTIONS,
);
