/**
 * How long callers have no answer when the node that serves a log in a database is killed, or hands over by command: two nodes and a PostgreSQL with a synchronous standby, all on this machine. A
 * round begins with a standby that follows; one asks all the time at the node that is to serve next, from the kill or the command on, until a read and a write are answered.
 */
import { NodePair } from '#test/kit/node-pair.ts';
import type { PairMachine } from '#test/kit/node-pair.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { hasPostgres } from '#test/kit/postgres-server.ts';
import type { ProcessNode } from '#test/kit/process-node.ts';
import { call, exchange, positionHeaders } from '#test/kit/test-node.ts';
import type { Headers } from '#test/kit/test-node.ts';
import { skep } from '#test/runtime/cli/recorder.ts';
import type { Bench, BenchCase } from './harness.ts';
import { percentile } from './kit/stats.ts';
import type { Figure } from './kit/figure.ts';

const LEASE_MS = 3000;
const SHARDS = 8;
/** What a takeover may take beyond the lease. */
const BEYOND_LEASE_MS = 4000;
/** Of a handover in order. */
const PAUSE_MS_MAX = 4000;
const BEHIND_MAX = 1_000_000;
const ROUND_SECONDS = 15;
const PROBE_MS = 5;

/** Begins a pause: resolves when the node has lost its place, and with the moment at which callers had no answer any more. */
type Begin = (pair: NodePair, serving: Serving) => Promise<number>;

interface Serving {
  readonly machine: PairMachine;
  readonly node: ProcessNode;
  readonly headers: Headers;
}

async function opened(pair: NodePair, machine: PairMachine, node: ProcessNode): Promise<Serving> {
  const token = await exchange(node.listeners['gateway']!, pair.key);
  return { machine, node, headers: { ...positionHeaders(TENANT), Authorization: `Bearer ${token}` } };
}

/** A read and a write that are answered. */
async function answers({ node, headers }: Serving, name: string): Promise<void> {
  const gateway = node.listeners['gateway']!;
  const read = await call(gateway, 'GET', '/data/rest/item?limit=1', headers);
  const write = await call(gateway, 'POST', '/data/rest/item', headers, { name, token: `t-${name}` });
  if (read.status !== 200 || write.status !== 201) throw new Error(`answered ${read.status} and ${write.status}`);
}

const killed: Begin = async (_pair, { node }) => {
  const since = performance.now();
  await node.end('SIGKILL');
  return since;
};

/** The pause begins with the last read that the node has answered. */
const drained: Begin = async (_pair, { machine, node, headers }) => {
  let answeredAt = performance.now();
  const over = new AbortController();
  const probing = (async () => {
    while (!over.signal.aborted)
      try {
        const { status } = await call(node.listeners['gateway']!, 'GET', '/data/rest/item?limit=1', headers);
        if (status === 200) answeredAt = performance.now();
        await new Promise((resolve) => setTimeout(resolve, PROBE_MS));
      } catch {
        return;
      }
  })();
  const { code, err } = await skep(`cluster drain -f ${machine.file}`);
  over.abort();
  await probing;
  if (code !== 0) throw new Error(err);
  return answeredAt;
};

/** Milliseconds of each pause. */
async function pauses(pair: NodePair, rounds: number, begin: Begin, name: string): Promise<number[]> {
  const [one, two] = pair.machines;
  let serving = await opened(pair, one, await pair.serve(one));
  const ms: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const next = serving.machine === one ? two : one;
    const waits = await pair.standby(next);
    await pair.followed(next, BEHIND_MAX);
    await answers(serving, `${name} ${round} before`);
    const since = await begin(pair, serving);
    const after = await opened(pair, next, await waits.serves);
    await answers(after, `${name} ${round} after`);
    ms.push(performance.now() - since);
    // One that has handed over waits in its process: the next round starts another one.
    await serving.node.end('SIGKILL');
    serving = after;
  }
  await serving.node.end('SIGKILL');
  return ms;
}

function figureOf(name: string, ms: readonly number[], than: number): Figure {
  const sorted = ms.toSorted((a, b) => a - b);
  const [p50Ms, p99Ms] = [percentile(sorted, 50), percentile(sorted, 99)];
  const note = `${ms.length} rounds, the longest ${Math.round(sorted.at(-1)!)} ms, with a lease of ${LEASE_MS} ms`;
  return {
    name,
    unit: 'ms',
    value: p50Ms,
    p50Ms,
    p99Ms,
    runs: ms,
    errors: 0,
    target: { of: 'p99Ms', bound: 'max', than },
    note,
  };
}

async function figures({ options }: Bench, pair: NodePair): Promise<Figure[]> {
  const rounds = options.pairs;
  const kills = await pauses(pair, rounds, killed, 'kill');
  const drains = await pauses(pair, rounds, drained, 'drain');
  return [
    figureOf('takeovers, killed', kills, LEASE_MS + BEYOND_LEASE_MS),
    figureOf('takeovers, handed over', drains, PAUSE_MS_MAX),
  ];
}

export const takeovers: BenchCase = {
  name: 'takeovers',
  measures:
    'how long nothing is answered when the node on a log is killed beside a standby, and when it hands over; --pairs: rounds of each',
  target: `p99 ≤ ${(LEASE_MS + BEYOND_LEASE_MS) / 1000} s, ≤ ${PAUSE_MS_MAX / 1000} s`,
  http: false,
  seconds: ({ pairs }) => 2 * pairs * ROUND_SECONDS,
  async run(bench) {
    if (!hasPostgres) throw new Error('there is no PostgreSQL on this machine: apt-get install postgresql');
    const pair = await NodePair.start({ shards: SHARDS, leaseMs: LEASE_MS, isDurable: true });
    try {
      return await figures(bench, pair);
    } finally {
      await pair.stop();
    }
  },
};
