/** What a log in a database costs: the same durable creates on a node on a PostgreSQL with a synchronous standby, and on one on files, in turns. All of it shares the machine. */
import { createTables } from '#storage/log-engine/postgres/create.ts';
import { hasPostgres, PostgresPair } from '#test/kit/postgres-server.ts';
import { FIRST_START_SECONDS, type Bench, type BenchCase } from './harness.ts';
import { median } from './kit/stats.ts';
import type { Figure, Target } from './kit/figure.ts';
import { createsInTurns, figureOf, warmSeconds, withTwoNodes, type Round, type TwoNodes } from './kit/two-nodes.ts';

const SECONDS = 10;
const SHARDS = 8;
const ANSWER_MS = 10_000;
/** By connections: what the ratio has to be. */
const RATIO_MIN = { 256: 0.6, 64: 0.5 } as const;
/** One caller waits for two disks and a network: its median against that on files. */
const ALONE_TIMES_MAX = 4;

const atLeast = (than: number): Target => ({ of: 'ratio', bound: 'min', than });

function alone(rounds: readonly Round[]): Target {
  return {
    of: 'p50Ms',
    bound: 'max',
    than: ALONE_TIMES_MAX * median(rounds.map(({ plain }) => plain.p50Ms)),
  };
}

async function figures(bench: Bench, nodes: TwoNodes): Promise<Figure[]> {
  const { seconds = SECONDS } = bench.options;
  const found: Figure[] = [];
  for (const connections of [256, 64, 1] as const) {
    const rounds = await createsInTurns(bench, nodes, connections, seconds);
    const target = connections === 1 ? alone(rounds) : atLeast(RATIO_MIN[connections]);
    const note =
      connections === 1
        ? `p50 at most ${ALONE_TIMES_MAX} × that on files`
        : 'ratio to the same creates with a journal of files';
    found.push(
      figureOf(`log-creates, ${connections} connection${connections === 1 ? '' : 's'}`, rounds, { target, note }),
    );
  }
  return found;
}

export const logCreates: BenchCase = {
  name: 'log-creates',
  measures: 'durable creates over a log in a PostgreSQL with a synchronous standby, beside the same over files',
  target: '≥ 0.6 × on 256, ≥ 0.5 × on 64',
  http: false,
  seconds: ({ pairs, seconds = SECONDS }) => 2 * (FIRST_START_SECONDS + 3 * pairs * seconds) + warmSeconds,
  async run(bench) {
    if (!hasPostgres) throw new Error('there is no PostgreSQL on this machine: apt-get install postgresql');
    const pair = await PostgresPair.start({ isDurable: true });
    try {
      const { url } = pair.primary;
      await createTables({ url, replication: 'strict', answerMs: ANSWER_MS }, SHARDS);
      const log = ['storage.journal.driver=postgres', `storage.journal.url=${url}`];
      return await withTwoNodes(bench, { plain: [], other: log }, (nodes) => figures(bench, nodes));
    } finally {
      await pair.stop();
    }
  },
};
