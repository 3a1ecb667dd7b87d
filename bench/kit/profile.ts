/** What took the processor's time, from the CPU profiles that the server's threads leave when they end. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { number } from './format.ts';
import { table } from './table.ts';

export interface CallFrame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
}

export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: CallFrame;
    /** Ids of what this node called. */
    readonly children?: readonly number[];
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

/** Milliseconds that each node of a profile was at the top of the stack, by its id. */
export function selfMs({ samples, timeDeltas }: CpuProfile): Map<number, number> {
  const self = new Map<number, number>();
  for (const [i, id] of samples.entries()) self.set(id, (self.get(id) ?? 0) + timeDeltas[i]! / 1000);
  return self;
}

/** What V8 calls the time in which a thread had nothing to do. */
export const IDLE = '(idle)';

/** Self time of each function, most first; idle time is left out. */
export function hotFunctions(profile: CpuProfile): HotFunction[] {
  const times = selfMs(profile);
  const self = new Map<string, number>();
  for (const { id, callFrame } of profile.nodes) {
    const { functionName, url, lineNumber } = callFrame;
    const ms = times.get(id);
    if (ms === undefined || functionName === IDLE) continue;
    const file = url.slice(url.lastIndexOf('/') + 1);
    const where = `${functionName || '(anonymous)'}${file === '' ? '' : ` ${file}:${lineNumber + 1}`}`;
    self.set(where, (self.get(where) ?? 0) + ms);
  }
  return [...self].map(([where, ms]) => ({ where, ms })).sort((a, b) => b.ms - a.ms);
}

export interface ThreadProfile {
  /** The file's name. */
  readonly name: string;
  readonly profile: CpuProfile;
  readonly hot: readonly HotFunction[];
  readonly busyMs: number;
}

/** Of each thread that left a profile, the busiest first; nearly idle ones are left out. */
export function readProfiles(directory: string): ThreadProfile[] {
  const threads = readdirSync(directory)
    .filter((name) => name.endsWith('.cpuprofile'))
    .map((name) => {
      const profile = JSON.parse(readFileSync(join(directory, name), 'utf8')) as CpuProfile;
      const hot = hotFunctions(profile);
      return { name, profile, hot, busyMs: hot.reduce((sum, { ms }) => sum + ms, 0) };
    })
    .sort((a, b) => b.busyMs - a.busyMs);
  return threads.filter(({ busyMs }) => busyMs >= threads[0]!.busyMs * BUSY_SHARE_MIN);
}

/** A table per thread of the functions with most self time. */
export function profileText(threads: readonly ThreadProfile[]): string {
  return threads
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
