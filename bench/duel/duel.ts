/** One contest: the same load on Skep and on a peer, in alternating pairs, each side's answer checked first. */
import { cpus } from 'node:os';
import { number } from '#bench/kit/format.ts';
import type { FsyncRate } from '#bench/kit/fsync-rate.ts';
import { busyOf } from '#bench/kit/watch.ts';
import { median } from '#bench/kit/stats.ts';
import { ratioOf, type Figure, type Pair } from '#bench/kit/figure.ts';
import type { Options } from '#bench/kit/options.ts';
import { unexpected, type LoadResult } from '#bench/kit/wrk-output.ts';
import { runWrk } from '#bench/kit/wrk.ts';
import type { Contest } from './contests.ts';
import type { Side } from './peer.ts';

export const SECONDS = 10;
const CONNECTIONS = 64;
/** Of fewer a rate says little: a run's edges are as long as its middle. */
const ANSWERS_MIN = 64;
export const WARM_SECONDS = 2;

export interface Duel {
  readonly skep: LoadResult;
  readonly peer: LoadResult;
}

/** Throws when either side's answer is not the expected one. */
export async function duel(
  contest: Contest,
  skep: Side,
  peer: Side,
  options: Options,
  disk: FsyncRate,
): Promise<Figure> {
  await probe('Skep', skep);
  await probe(contest.peer.name, peer);
  const { threads, pairs, seconds = SECONDS, connections = CONNECTIONS, pin } = options;
  const load = ({ url, request }: Side, forSeconds: number): Promise<LoadResult> =>
    runWrk({ url, request, connections, threads, seconds: forSeconds, ...(pin ? { core: cpus().length - 1 } : {}) });
  const warm = Math.min(seconds, WARM_SECONDS);
  await load(peer, warm);
  await load(skep, warm);
  const duels: Duel[] = [];
  for (let i = 0; i < pairs; i++) {
    if (i % 2 === 0) {
      const first = await load(peer, seconds);
      duels.push({ peer: first, skep: await load(skep, seconds) });
    } else {
      const first = await load(skep, seconds);
      duels.push({ skep: first, peer: await load(peer, seconds) });
    }
  }
  const fewest = Math.min(...duels.flatMap((one) => [one.skep.requests, one.peer.requests]));
  if (fewest === 0) throw new Error(`no answer in ${seconds} s: ask longer (--seconds)`);
  const few = fewest < ANSWERS_MIN ? `; ONLY ${fewest} ANSWERS IN A RUN: ask longer` : '';
  const name = pin ? apart(contest.name) : contest.name;
  const figure = { ...duelFigure(contest, duels, skep.expect, peer.expect), name };
  return { ...figure, note: `${spreadOf(figure)}; disk ${number(disk.perSecond)} fsync/s just before${few}` };
}

/** A contest whose load has a core of its own, so that the faster side does not slow itself down by the callers that it keeps busy. */
export const apart = (name: string): string => `${name}, load apart`;

/** How far the pairs' ratios lie apart: a wide spread is an unquiet machine, or a disk that comes and goes. */
function spreadOf({ pairs = [] }: Figure): string {
  const ratios = pairs.map(({ value, ceiling }) => value / ceiling);
  return `pairs ${number(Math.min(...ratios))} – ${number(Math.max(...ratios))} ×`;
}

/** Its `ceiling` is the peer. */
export function duelFigure(contest: Contest, duels: readonly Duel[], skepStatus: number, peerStatus: number): Figure {
  const pairs: Pair[] = duels.map(({ skep, peer }) => ({ ceiling: peer.perSecond, value: skep.perSecond }));
  const middle = (of: (duel: Duel) => number): number => median(duels.map(of));
  return {
    name: contest.name,
    unit: 'req/s',
    value: middle(({ skep }) => skep.perSecond),
    p50Ms: middle(({ skep }) => skep.p50Ms),
    p99Ms: middle(({ skep }) => skep.p99Ms),
    p999Ms: middle(({ skep }) => skep.p999Ms),
    ceiling: middle(({ peer }) => peer.perSecond),
    ratio: ratioOf(pairs),
    pairs,
    ...busyOf(duels.map(({ skep }) => skep)),
    errors: duels.reduce((sum, one) => sum + unexpected(one.skep, skepStatus) + unexpected(one.peer, peerStatus), 0),
    rival: {
      name: contest.peer.name,
      p50Ms: middle(({ peer }) => peer.p50Ms),
      p99Ms: middle(({ peer }) => peer.p99Ms),
      p999Ms: middle(({ peer }) => peer.p999Ms),
      ...busyOf(duels.map(({ peer }) => peer)),
    },
    ...(contest.times === undefined ? {} : { target: { of: 'ratio', bound: 'min', than: contest.times } }),
  };
}

async function probe(name: string, { url, request, expect }: Side): Promise<void> {
  const { method, headers, body } = request;
  const parts = body?.map((part) =>
    typeof part === 'string' ? part : part.kind === 'unique' ? `probe ${Date.now()}` : '1',
  );
  const answer = await fetch(url, { method, headers, body: parts?.join('') ?? null });
  const text = await answer.text();
  if (answer.status !== expect) throw new Error(`${name}: ${method} answered ${answer.status} ${text.slice(0, 300)}`);
}
