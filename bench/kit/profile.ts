/** What took the processor's time, from the CPU profiles that the server's threads leave when they end. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { number } from './format.ts';
import { table } from './table.ts';

interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }[];
  readonly samples: readonly number[];
  /** Microseconds since the sample before. */
  readonly timeDeltas: readonly number[];
}

export interface HotFunction {
  readonly where: string;
  readonly ms: number;
}

const TOP = 12;
/** Threads less busy than this share of the busiest are left out: they explain nothing. */
const BUSY_SHARE_MIN = 0.1;

/** Self time of each function, most first; what V8 calls (idle) is left out. */
export function hotFunctions(profile: CpuProfile): HotFunction[] {
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]));
  const self = new Map<string, number>();
  for (const [i, id] of profile.samples.entries()) {
    const { functionName, url, lineNumber } = frames.get(id)!;
    if (functionName === '(idle)') continue;
    const file = url.slice(url.lastIndexOf('/') + 1);
    const where = `${functionName || '(anonymous)'}${file === '' ? '' : ` ${file}:${lineNumber + 1}`}`;
    self.set(where, (self.get(where) ?? 0) + profile.timeDeltas[i]! / 1000);
  }
  return [...self].map(([where, ms]) => ({ where, ms })).sort((a, b) => b.ms - a.ms);
}

/** A table per thread of the functions with most self time, the busiest thread first, nearly idle ones left out. */
export function profileText(directory: string): string {
  const threads = readdirSync(directory)
    .filter((name) => name.endsWith('.cpuprofile'))
    .map((name) => ({ name, hot: hotFunctions(JSON.parse(readFileSync(join(directory, name), 'utf8')) as CpuProfile) }))
    .map(({ name, hot }) => ({ name, hot, busyMs: hot.reduce((sum, { ms }) => sum + ms, 0) }))
    .sort((a, b) => b.busyMs - a.busyMs);
  return threads
    .filter(({ busyMs }) => busyMs >= threads[0]!.busyMs * BUSY_SHARE_MIN)
    .map(({ name, hot, busyMs }) => `\n${name}: busy ${number(busyMs)} ms\n${hotTable(hot, busyMs)}`)
    .join('');
}

function hotTable(hot: readonly HotFunction[], busyMs: number): string {
  const columns = [
    { title: 'self ms', align: 'right' },
    { title: '%', align: 'right' },
    { title: 'function' },
  ] as const;
  return table(
    columns,
    hot.slice(0, TOP).map(({ where, ms }) => [number(ms), number((100 * ms) / busyMs), where]),
  );
}
