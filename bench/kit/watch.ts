/**
 * What was busy while something was measured, from Linux's /proc (proc(5)): the processes that the bench started (the server, and all
 * that belongs to it), the load itself, the busiest disk, and all other processes of the machine.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { number } from './format.ts';
import { processorSeconds, TICKS } from './machine.ts';
import { descendantsOf } from './process-tree.ts';
import { median } from './stats.ts';

/** Cores are processor seconds a second. */
export interface Usage {
  /** Everything that the bench started, but the load. */
  readonly serverCores: number;
  /** wrk or h2load, and the bench itself, which is the load of some cases. */
  readonly clientCores: number;
  /** The rest of the machine: above some tenths it was not quiet. */
  readonly otherCores: number;
  /** The busiest thread of the server: nothing makes it faster than one core. */
  readonly busiest: { readonly thread: string; readonly cores: number };
  /** Share of the time in which the busiest disk had something to do. */
  readonly diskBusy: number;
}

/** What a figure says of it. */
export interface Busy {
  readonly serverCores?: number;
  readonly clientCores?: number;
  readonly otherCores?: number;
  readonly diskBusy?: number;
  readonly bottleneck?: string;
}

/** From here on there is nothing left of a core, a thread or a disk. */
const FULL = 0.9;
/** Cores of others above which a machine was not quiet. */
export const QUIET_MAX = 0.2;

interface Thread {
  readonly name: string;
  readonly seconds: number;
}

interface Counters {
  readonly atMs: number;
  readonly threads: ReadonlyMap<string, Thread>;
  /** Of children that have ended and were waited for: wrk among them. */
  readonly endedSeconds: number;
  readonly ownSeconds: number;
  readonly machineSeconds: number;
  readonly diskMs: ReadonlyMap<string, number>;
}

/** Begins to watch; what it gives ends it, once the load has ended. */
export function watch(): () => Usage {
  const before = counters();
  return () => usageBetween(before, counters());
}

function counters(): Counters {
  const self = readFileSync('/proc/self/stat', 'utf8');
  return {
    atMs: performance.now(),
    threads: new Map(descendantsOf(process.pid).flatMap(threadsOf)),
    endedSeconds: endedSeconds(self),
    ownSeconds: processorSeconds(self),
    machineSeconds: machineSeconds(readFileSync('/proc/stat', 'utf8')),
    diskMs: diskMs(readFileSync('/proc/diskstats', 'utf8')),
  };
}

/** A process that ends while it is read has no threads. */
function threadsOf(pid: number): [id: string, Thread][] {
  try {
    return readdirSync(`/proc/${pid}/task`).map((tid) => {
      const stat = readFileSync(`/proc/${pid}/task/${tid}/stat`, 'utf8');
      return [`${pid}/${tid}`, { name: threadName(stat, String(pid) === tid), seconds: processorSeconds(stat) }];
    });
  } catch {
    return [];
  }
}

/** Node's workers all have the program's name. */
function threadName(stat: string, isMain: boolean): string {
  const program = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
  if (isMain) return program === 'node' ? 'main thread' : program;
  return program === 'node' ? 'a worker thread' : `thread ${program}`;
}

/** Of `/proc/self/stat`: cutime and cstime. */
export function endedSeconds(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) / TICKS;
}

/** Of `/proc/stat`: all that was neither idle nor waiting for a disk; guests are counted in user time already. */
export function machineSeconds(stat: string): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = stat
    .slice(0, stat.indexOf('\n'))
    .trim()
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return (user + nice + system + irq + softirq + steal) / TICKS;
}

/** Of `/proc/diskstats`: milliseconds in which a disk had something to do. What lies in memory is no disk. */
export function diskMs(text: string): Map<string, number> {
  const lines = text.split('\n').map((line) => line.trim().split(/\s+/));
  return new Map(
    lines
      .filter(([, , name]) => name !== undefined && !/^(loop|ram|zram)/.test(name))
      .map((fields) => [fields[2]!, Number(fields[12])]),
  );
}

function usageBetween(from: Counters, to: Counters): Usage {
  const seconds = (to.atMs - from.atMs) / 1000;
  const busy = [...to.threads].map(([id, { name, seconds: used }]) => ({
    thread: name,
    cores: (used - (from.threads.get(id)?.seconds ?? 0)) / seconds,
  }));
  const serverCores = busy.reduce((sum, { cores }) => sum + cores, 0);
  const clientCores = (to.endedSeconds - from.endedSeconds + to.ownSeconds - from.ownSeconds) / seconds;
  const machineCores = (to.machineSeconds - from.machineSeconds) / seconds;
  const disks = [...to.diskMs].map(([name, ms]) => (ms - (from.diskMs.get(name) ?? 0)) / 1000 / seconds);
  return {
    serverCores,
    clientCores,
    otherCores: Math.max(0, machineCores - serverCores - clientCores),
    busiest: busy.reduce((most, one) => (one.cores > most.cores ? one : most), { thread: 'none', cores: 0 }),
    diskBusy: Math.min(1, Math.max(0, ...disks)),
  };
}

/** What the work gives, and what was busy meanwhile. */
export async function watched<T>(work: () => Promise<T>): Promise<{ readonly value: T; readonly usage: Usage }> {
  const ended = watch();
  const value = await work();
  return { value, usage: ended() };
}

/** Medians of a figure's runs, and what was at its limit. Nothing where nothing was watched. */
export function busyOf(
  runs: readonly { readonly usage?: Usage; readonly threads?: number }[],
  cores: number = cpus().length,
): Busy {
  const usages = runs.flatMap(({ usage = [] }) => usage);
  if (usages.length === 0) return {};
  const middle = (of: (usage: Usage) => number): number => median(usages.map(of));
  const thread = usages.toSorted((a, b) => a.busiest.cores - b.busiest.cores)[usages.length >> 1]!.busiest;
  const usage: Usage = {
    serverCores: middle((one) => one.serverCores),
    clientCores: middle((one) => one.clientCores),
    otherCores: middle((one) => one.otherCores),
    diskBusy: middle((one) => one.diskBusy),
    busiest: thread,
  };
  const { busiest: _, ...figures } = usage;
  return { ...figures, bottleneck: bottleneckOf(usage, cores, runs[0]?.threads ?? 1) };
}

/** What had no capacity left; `clientThreads`: of the load. */
export function bottleneckOf(usage: Usage, cores: number, clientThreads: number): string {
  const { serverCores, clientCores, otherCores, busiest, diskBusy } = usage;
  const full = [
    ...(busiest.cores >= FULL ? [`the server's ${busiest.thread}`] : []),
    ...(clientCores >= FULL * clientThreads ? ['the load'] : []),
    ...(diskBusy >= FULL ? ['the disk'] : []),
  ];
  if (full.length > 0) return full.join(', ');
  if (serverCores + clientCores + otherCores >= FULL * cores)
    return otherCores > QUIET_MAX ? `all cores: ${number(otherCores)} of them others had` : 'all cores together';
  return 'nothing: it waits';
}
