/** The same durable creates on two nodes that differ in settings alone, in turns: what the settings cost. */
import { join } from 'node:path';
import type { Bench } from '../harness.ts';
import { changingRow, createUrl, exchangeToken } from './dev-file.ts';
import { ratioOf, type Figure, type Pair } from './figure.ts';
import { freePortBase } from './ports.ts';
import { startServer, type Server } from './server.ts';
import { median, mediansOf } from './stats.ts';
import { busyOf } from './watch.ts';
import { runWrk } from './wrk.ts';
import { unexpected, type LoadResult } from './wrk-output.ts';

const WARM_SECONDS = 3;
const CREATED = 201;

export interface TwoNodes {
  readonly plain: Server;
  /** The one whose cost is asked for. */
  readonly other: Server;
}

/** Settings, `key=value`, of each. */
export interface Differing {
  readonly plain: readonly string[];
  readonly other: readonly string[];
}

export interface Round {
  readonly plain: LoadResult;
  readonly other: LoadResult;
}

/** What both need before they are measured. */
export const warmSeconds = 2 * WARM_SECONDS;

/** Two nodes on directories of their own, both warm; the one that is not asked is idle. */
export async function withTwoNodes<T>(bench: Bench, set: Differing, work: (nodes: TwoNodes) => Promise<T>): Promise<T> {
  const options = bench.serverOptions();
  const start = async (name: keyof Differing): Promise<Server> =>
    startServer({
      ...options,
      dataDir: join(bench.dataDir, name),
      portBase: await freePortBase(),
      profileDir: name === 'other' ? options.profileDir : undefined,
      set: set[name],
    });
  const plain = await start('plain');
  try {
    const other = await start('other');
    try {
      const { threads, seconds = WARM_SECONDS, connections = 64 } = bench.options;
      for (const node of [plain, other]) await creates(node, threads, connections, Math.min(seconds, WARM_SECONDS));
      return await work({ plain, other });
    } finally {
      await other.stop();
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

/** Pairs of runs; the side that goes first changes from pair to pair. */
export async function createsInTurns(
  { options: { pairs, threads } }: Bench,
  { plain, other }: TwoNodes,
  connections: number,
  seconds: number,
): Promise<readonly Round[]> {
  const run = (server: Server): Promise<LoadResult> => creates(server, threads, connections, seconds);
  const rounds: Round[] = [];
  for (let i = 0; i < pairs; i++) {
    const early = i % 2 === 1 ? await run(other) : null;
    const without = await run(plain);
    rounds.push({ plain: without, other: early ?? (await run(other)) });
  }
  return rounds;
}

/** The other side's requests beside those of the plain one; `expected`: the only status that counts as a success. */
export function figureOf(
  name: string,
  rounds: readonly Round[],
  { target, note }: Pick<Figure, 'target' | 'note'>,
  expected = CREATED,
): Figure {
  const pairs: Pair[] = rounds.map(({ plain, other }) => ({ ceiling: plain.perSecond, value: other.perSecond }));
  const others = rounds.map(({ other }) => other);
  return {
    name,
    unit: 'req/s',
    value: median(pairs.map(({ value }) => value)),
    ...mediansOf(others),
    ...busyOf(others),
    ceiling: median(pairs.map(({ ceiling }) => ceiling)),
    ratio: ratioOf(pairs),
    pairs,
    errors: rounds.reduce(
      (sum, { plain, other }) => sum + unexpected(plain, expected) + unexpected(other, expected),
      0,
    ),
    ...(target !== undefined && { target }),
    ...(note !== undefined && { note }),
  };
}
