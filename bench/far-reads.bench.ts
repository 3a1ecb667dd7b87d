/** What a hop to the node that serves costs: the same reads at its own door, and at that of a node which stands by, in turns. Both, the database and the load share the machine. */
import { NodePair } from '#test/kit/node-pair.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { hasPostgres } from '#test/kit/postgres-server.ts';
import { call, exchange, positionHeaders } from '#test/kit/test-node.ts';
import { FIRST_START_SECONDS, type BenchCase } from './harness.ts';
import { figureOf, warmSeconds, type Round } from './kit/two-nodes.ts';
import { runWrk } from './kit/wrk.ts';

const SECONDS = 10;
const WARM_SECONDS = 3;
const CONNECTIONS = 64;
const SHARDS = 4;
const LEASE_MS = 15_000;
const RATIO_MIN = 0.5;
const OK = 200;
const CREATED = 201;

/** Two nodes whose doors answer, and a row to be read. */
async function twoDoors(pair: NodePair) {
  const [one, two] = pair.machines;
  await pair.serve(one);
  await pair.standby(two);
  await pair.open(two);
  const headers = { ...positionHeaders(TENANT), Authorization: `Bearer ${await exchange(one.gateway, pair.key)}` };
  const made = await call(two.gateway, 'POST', '/data/rest/item', headers, { name: 'read', token: 'read' });
  if (made.status !== CREATED) throw new Error(`no row: ${made.status} ${made.text}`);
  const { id } = (made.json as { data: { id: string }[] }).data[0]!;
  return { headers, urls: [one, two].map(({ gateway }) => `${gateway}/data/rest/item/id/${id}`) };
}

export const farReads: BenchCase = {
  name: 'far-reads',
  measures: `one row by its key at the door of a node that stands by, beside the door of the one that serves, ${CONNECTIONS} connections`,
  target: `≥ ${RATIO_MIN} ×`,
  http: false,
  seconds: ({ pairs, seconds = SECONDS }) => 2 * (FIRST_START_SECONDS + pairs * seconds) + warmSeconds,
  async run(bench) {
    if (!hasPostgres) throw new Error('there is no PostgreSQL on this machine: apt-get install postgresql');
    const { connections = CONNECTIONS, hosts = 1, pairs, seconds = SECONDS, threads } = bench.options;
    const pair = await NodePair.start({ shards: SHARDS, leaseMs: LEASE_MS, hosts, hasLinks: true, isDurable: true });
    try {
      const { headers, urls } = await twoDoors(pair);
      const request = { method: 'GET', headers, body: null };
      const read = (url: string, length: number) => runWrk({ url, request, connections, threads, seconds: length });
      for (const url of urls) await read(url, Math.min(seconds, WARM_SECONDS));
      const rounds: Round[] = [];
      for (let no = 1; no <= pairs; no++)
        rounds.push({ plain: await read(urls[0]!, seconds), other: await read(urls[1]!, seconds) });
      const target = { of: 'ratio', bound: 'min', than: RATIO_MIN } as const;
      const note = 'ratio to the same reads at the node that serves';
      return [figureOf('far-reads', rounds, { target, note }, OK)];
    } finally {
      await pair.stop();
    }
  },
};
