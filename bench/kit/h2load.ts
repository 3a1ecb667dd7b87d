/** Runs h2load at a constant rate: what independent callers see. Each answer's status and time is read from its log. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { percentile } from './stats.ts';
import { watch, type Usage } from './watch.ts';

export interface RateLoad {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Null: a GET. */
  readonly body: string | null;
  readonly connections: number;
  /** Requests per second of all connections together. */
  readonly perSecond: number;
  readonly seconds: number;
}

export interface RateResult {
  /** Answers of status 2xx per second, and their time. */
  readonly goodPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  /** Answers by status; h2load reports a failed connection as 65535. */
  readonly statuses: ReadonlyMap<number, number>;
  /** What was busy meanwhile. */
  readonly usage?: Usage;
}

const run = promisify(execFile);

/** Rejects when h2load is missing or ends badly. */
export async function runH2load(load: RateLoad): Promise<RateResult> {
  const directory = await mkdtemp(join(tmpdir(), 'skep-h2load-'));
  try {
    const [body, log] = [join(directory, 'body'), join(directory, 'log')];
    if (load.body !== null) await writeFile(body, load.body);
    const ended = watch();
    await run('h2load', [...h2loadArguments(load, body, log), load.url]);
    const usage = ended();
    return { ...parseH2loadLog(await readFile(log, 'utf8'), load.seconds), usage };
  } finally {
    await rm(directory, { recursive: true });
  }
}

function h2loadArguments(load: RateLoad, body: string, log: string): string[] {
  const { headers, connections, perSecond, seconds } = load;
  const lines = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const each = Math.max(0.001, perSecond / connections).toFixed(3);
  const how = ['--h1', '-t', '1', '-c', String(connections), '-D', String(Math.ceil(seconds)), '--rps', each];
  return [...how, ...(load.body === null ? [] : ['-d', body]), `--log-file=${log}`, ...lines];
}

/** Lines of start (µs), status, duration (µs). */
export function parseH2loadLog(text: string, seconds: number): RateResult {
  const statuses = new Map<number, number>();
  const good: number[] = [];
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const [, status, micros] = line.split('\t').map(Number) as [number, number, number];
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status >= 200 && status < 300) good.push(micros / 1000);
  }
  if (good.length === 0) return { goodPerSecond: 0, p50Ms: 0, p99Ms: 0, p999Ms: 0, statuses };
  const [p50Ms, p99Ms, p999Ms] = [percentile(good, 50), percentile(good, 99), percentile(good, 99.9)];
  return { goodPerSecond: good.length / seconds, p50Ms, p99Ms, p999Ms, statuses };
}
