/** What recording costs: the same durable creates on a node that records and on one that does not, in turns. */
import { join } from 'node:path';
import type { Bench, BenchCase } from './harness.ts';
import { FIRST_START_SECONDS } from './harness.ts';
import { changingRow, createUrl, exchangeToken } from './kit/dev-file.ts';
import { ratioOf } from './kit/figure.ts';
import type { Pair } from './kit/figure.ts';
import { freePortBase } from './kit/ports.ts';
import { startServer } from './kit/server.ts';
import type { Server } from './kit/server.ts';
import { median, mediansOf } from './kit/stats.ts';
import { busyOf } from './kit/watch.ts';
import { runWrk } from './kit/wrk.ts';
import type { LoadResult } from './kit/wrk-output.ts';
import { unexpected } from './kit/wrk-output.ts';

const CONNECTIONS = 64;
const SECONDS = 10;
const WARM_SECONDS = 3;
const CREATED = 201;
const RATIO_MIN = 0.65;

interface Sides {
  readonly plain: Server;
  readonly recording: Server;
}

/** Two nodes on directories of their own; the one that is not asked is idle. */
async function withSides<T>(bench: Bench, work: (sides: Sides) => Promise<T>): Promise<T> {
  const options = bench.serverOptions();
  const start = async (name: string, enabled: boolean): Promise<Server> =>
    startServer({
      ...options,
      dataDir: join(bench.dataDir, name),
      portBase: await freePortBase(),
      profileDir: enabled ? options.profileDir : undefined,
      set: [`audit.enabled=${enabled}`],
    });
  const plain = await start('plain', false);
  try {
    const recording = await start('recording', true);
    try {
      return await work({ plain, recording });
    } finally {
      await recording.stop();
    }
  } finally {
    await plain.stop();
  }
}

async function creates({ dev }: Server, threads: number, connections: number, seconds: number): Promise<LoadResult> {
  const headers = { ...dev.headers, Authorization: `Bearer ${await exchangeToken(dev)}` };
  const body = changingRow(dev.sample.create);
  const request = { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body };
  return runWrk({ url: createUrl(dev), request, connections, threads, seconds });
}

export const auditWrites: BenchCase = {
  name: 'audit-writes',
  measures: `durable creates on ${CONNECTIONS} connections with every write recorded, beside the same with nothing recorded`,
  target: `≥ ${RATIO_MIN} ×`,
  http: false,
  seconds: ({ pairs, seconds = SECONDS }) => 2 * (FIRST_START_SECONDS + WARM_SECONDS + pairs * seconds),
  run: (bench) =>
    withSides(bench, async ({ plain, recording }) => {
      const { pairs: count, threads, seconds = SECONDS, connections = CONNECTIONS } = bench.options;
      const run = (server: Server, forSeconds = seconds) => creates(server, threads, connections, forSeconds);
      for (const server of [plain, recording]) await run(server, Math.min(seconds, WARM_SECONDS));
      const rounds: { readonly without: LoadResult; readonly recorded: LoadResult }[] = [];
      for (let i = 0; i < count; i++) {
        // The side that goes first changes from pair to pair.
        const early = i % 2 === 1 ? await run(recording) : null;
        const without = await run(plain);
        rounds.push({ without, recorded: early ?? (await run(recording)) });
      }
      const pairs: Pair[] = rounds.map(({ without, recorded }) => ({
        ceiling: without.perSecond,
        value: recorded.perSecond,
      }));
      const recorded = rounds.map((round) => round.recorded);
      return [
        {
          name: 'audit-writes',
          unit: 'req/s',
          value: median(pairs.map(({ value }) => value)),
          ...mediansOf(recorded),
          ...busyOf(recorded),
          ceiling: median(pairs.map(({ ceiling }) => ceiling)),
          ratio: ratioOf(pairs),
          pairs,
          errors: rounds.reduce(
            (sum, round) => sum + unexpected(round.without, CREATED) + unexpected(round.recorded, CREATED),
            0,
          ),
          target: { of: 'ratio', bound: 'min', than: RATIO_MIN },
          note: 'ratio to the same creates with audit.enabled=false',
        },
      ];
    }),
};
