/** What long work costs readers: reads by id without it, then beside it for as long as it lasts. */
import { SLICE_SECONDS_MAX } from '#runtime/observe/metric-rows.ts';
import type { Figure } from './figure.ts';
import type { DataNode } from './data-node.ts';
import { number } from './format.ts';
import { largest, metricsOf, settled, type Metrics } from './metrics.ts';
import { median } from './stats.ts';
import { busyOf } from './watch.ts';
import { runWrk } from './wrk.ts';
import { unexpected, type LoadResult } from './wrk-output.ts';

const CONNECTIONS = 16;
const ABOVE_MS = 5;
const WATCH_MS = 1000;

export interface BesideWish {
  /** The figure's name. */
  readonly name: string;
  /** Reads are of a row of this entity. */
  readonly entity: string;
  /** Length of a window of reads. */
  readonly seconds: number;
  /** The work; what is to be said of it. */
  readonly work: () => Promise<string>;
}

/**
 * p99 of reads beside the work, in windows of the same length as the one without it: the median of the windows counts, the worst is reported beside it.
 * A window in which the work ended counts only where it is the only one.
 */
export async function besideReads(
  node: DataNode,
  { name, entity, seconds, work }: BesideWish,
  log: (text: string) => void,
): Promise<Figure> {
  const read = await readerOf(node, entity, seconds);
  await settled(node.operations);
  await read(); // warms both sides up
  const without = await read();
  const before = await metricsOf(node.operations);
  const watch = watchSlices(node);
  const began = performance.now();
  const ended = new AbortController();
  const working = work().finally(() => ended.abort());
  const windows: LoadResult[] = [];
  do {
    const window = await read();
    if (!ended.signal.aborted || windows.length === 0) windows.push(window);
    log(`  ${number((performance.now() - began) / 1000)} s, p99 ${number(window.p99Ms)} ms`);
  } while (!ended.signal.aborted);
  const said = await working;
  const longest = await watch.stop();
  const slices = sliceText(before, await metricsOf(node.operations), longest);
  const p99s = windows.map(({ p99Ms }) => p99Ms);
  const beside = median(p99s);
  return {
    name,
    unit: 'ms',
    value: beside - without.p99Ms,
    p50Ms: median(windows.map(({ p50Ms }) => p50Ms)),
    p99Ms: beside,
    p999Ms: median(windows.map(({ p999Ms }) => p999Ms)),
    ...busyOf(windows),
    errors: [without, ...windows].reduce((sum, one) => sum + unexpected(one, 200), 0),
    target: { of: 'value', bound: 'max', than: ABOVE_MS },
    runs: p99s,
    note: `p99 ${number(beside)} ms beside (worst window ${number(Math.max(...p99s))} ms of ${windows.length}), ${number(without.p99Ms)} ms without; ${slices}; ${said}`,
  };
}

async function readerOf(node: DataNode, entity: string, seconds: number): Promise<() => Promise<LoadResult>> {
  const rows = `${node.gateway}/data/rest/${entity}`;
  const listed = await fetch(`${rows}?limit=1`, { headers: await node.headers() });
  const { data } = (await listed.json()) as { data: { id: string }[] };
  return async () => {
    const request = { method: 'GET', headers: await node.headers(), body: null } as const;
    return runWrk({ url: `${rows}/id/${data[0]!.id}`, request, connections: CONNECTIONS, threads: 1, seconds });
  };
}

/** The longest slice while it watches by each clock, in seconds. */
interface Longest {
  wall: number;
  own: number;
}

function watchSlices({ operations }: DataNode): { stop(): Promise<Longest> } {
  const longest: Longest = { wall: 0, own: 0 };
  const look = async (): Promise<void> => {
    const metrics = await metricsOf(operations);
    longest.wall = Math.max(longest.wall, largest(metrics, 'skep_slice_max_seconds'));
    longest.own = Math.max(longest.own, largest(metrics, 'skep_slice_cpu_max_seconds'));
  };
  const timer = setInterval(() => void look().catch(() => undefined), WATCH_MS);
  const stop = async (): Promise<Longest> => {
    clearInterval(timer);
    await look();
    return longest;
  };
  return { stop };
}

/** How many slices there were, and how many of them were too long: as callers see it, and by what the thread itself did. */
function sliceText(before: Metrics, after: Metrics, longest: Longest): string {
  const grown = (series: string): number => (after.get(series) ?? 0) - (before.get(series) ?? 0);
  const all = grown('skep_slice_seconds_count');
  const over = (name: string): number => all - grown(`${name}_bucket{le="${SLICE_SECONDS_MAX}"}`);
  const ms = (seconds: number): string => number(seconds * 1000);
  const wall = `${number(over('skep_slice_seconds'))} of them over ${ms(SLICE_SECONDS_MAX)} ms, the longest ${ms(longest.wall)} ms`;
  const own = `${number(over('skep_slice_cpu_seconds'))}, ${ms(longest.own)} ms`;
  return `${number(all)} slices, ${wall} (by the thread's own processor time ${own})`;
}
