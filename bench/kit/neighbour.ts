/** What keeps the machine busy beside a measurement, and what that costs the measured callers. */
import { Worker } from 'node:worker_threads';
import { ratioOf, type Figure, type Pair } from './figure.ts';
import { median, mediansOf } from './stats.ts';
import { busyOf } from './watch.ts';
import { unexpected, type LoadResult } from './wrk-output.ts';

export interface Neighbour {
  stop(): Promise<unknown>;
}

/** Measures while the neighbour is at it. */
async function beside<T>(neighbour: Neighbour, measure: () => Promise<T>): Promise<T> {
  try {
    return await measure();
  } finally {
    await neighbour.stop();
  }
}

/** Threads that do nothing, as fast as they can. */
function busyLoops(count: number): Neighbour {
  const loops = Array.from({ length: count }, () => new Worker('for (;;) {}', { eval: true }));
  return { stop: () => Promise.all(loops.map((loop) => loop.terminate())) };
}

/** So many callers, each of which calls again when it has its answer. */
export function callers(count: number, call: (no: number) => Promise<void>): Neighbour {
  const state = { going: true };
  const loop = async (no: number): Promise<void> => {
    while (state.going) await call(no);
  };
  const loops = Array.from({ length: count }, (_, no) => loop(no));
  return {
    stop: () => {
      state.going = false;
      return Promise.all(loops);
    },
  };
}

export interface NeighbourWish {
  /** The figure's, without its `p99`. */
  readonly name: string;
  readonly pairs: number;
  /** The load that is measured; each of its answers is 200. */
  readonly load: () => Promise<LoadResult>;
  readonly neighbour: () => Neighbour;
  /** Threads that the neighbour may keep busy: as many busy loops are what it is held against. */
  readonly threads: number;
  /** The most that its p99 may be of theirs. */
  readonly times: number;
}

/** p99 of a load beside a neighbour that takes cores, held against the same beside busy loops: it must take nothing else. */
export async function besideLoops(wish: NeighbourWish): Promise<Figure> {
  const { load, neighbour, threads, times } = wish;
  const pairs: Pair[] = [];
  const runs: LoadResult[] = [];
  let errors = 0;
  for (let i = 0; i < wish.pairs; i++) {
    const loops = await beside(busyLoops(threads), load);
    const run = await beside(neighbour(), load);
    runs.push(run);
    errors += unexpected(loops, 200) + unexpected(run, 200);
    pairs.push({ ceiling: loops.p99Ms, value: run.p99Ms });
  }
  return {
    name: `${wish.name} p99`,
    unit: 'ms',
    value: median(pairs.map(({ value }) => value)),
    ...mediansOf(runs),
    ceiling: median(pairs.map(({ ceiling }) => ceiling)),
    ratio: ratioOf(pairs),
    ...busyOf(runs),
    pairs,
    errors,
    target: { of: 'ratio', bound: 'max', than: times },
    note: `ratio to p99 beside ${threads} busy loops`,
  };
}
