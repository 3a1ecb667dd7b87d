/** Very many tenants on one node of which few are asked: what each of the others costs, and what the first request of one takes. */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench, BenchCase } from './harness.ts';
import { exchangeToken } from './kit/dev-file.ts';
import type { Figure } from './kit/figure.ts';
import { number } from './kit/format.ts';
import { makeHive, positionOf, startHive, type Hive, type HiveWish } from './kit/hive.ts';
import { residentBytesOf } from './kit/machine.ts';
import type { Options } from './kit/options.ts';
import { median, mediansOf, percentile } from './kit/stats.ts';
import { busyOf } from './kit/watch.ts';
import { unexpected, type LoadResult } from './kit/wrk-output.ts';
import { runWrk } from './kit/wrk.ts';

const ACTIVE = 100;
const IN_FLIGHT = 32;
const SECONDS = 10;
const WARM_SECONDS = 2;
const IDLE_MS = 3000;
const SETTLED_MS = 20_000;
const IDLE_KB_MAX = 100;
const COLD_MS_MAX = 10;
/** What a hundred active tenants reach among many, of what they reach among themselves. */
const FLAT_MIN = 0.8;
/** Tenants that are provisioned in a second, for the estimate. */
const MADE_PER_SECOND = 150;

interface Measured {
  readonly tenants: number;
  readonly active: number;
  readonly startMs: number;
  /** Nothing asked yet; and after the load on the active ones. */
  readonly idleMb: number;
  readonly usedMb: number;
  /** Milliseconds of each active tenant's first request: its key is exchanged. */
  readonly cold: readonly number[];
  /** Of each active tenant's first read, which follows it: its data is asked for the first time. */
  readonly firstReads: readonly number[];
  /** Of reads of an empty list, all active tenants in turn. */
  readonly reads: readonly LoadResult[];
}

async function measure(wish: HiveWish, options: Options): Promise<Measured> {
  const { pairs: runs, seconds = SECONDS } = options;
  const starts: number[] = [];
  const idles: number[] = [];
  for (let i = 0; i < runs; i++) {
    const hive = await startHive(wish);
    starts.push(hive.startMs);
    await sleep(IDLE_MS);
    idles.push(residentBytesOf(hive.pid) / 1e6);
    if (i < runs - 1) {
      await hive.stop();
      continue;
    }
    try {
      const { cold, firstReads, headers } = await wake(hive);
      await readTurns(hive, headers, options, Math.min(seconds, WARM_SECONDS));
      const reads: LoadResult[] = [];
      for (let run = 0; run < runs; run++) reads.push(await readTurns(hive, headers, options, seconds));
      // Threads give back what a load left when they were idle for ten seconds.
      await sleep(SETTLED_MS);
      const usedMb = residentBytesOf(hive.pid) / 1e6;
      return { ...wish, startMs: median(starts), idleMb: median(idles), usedMb, cold, firstReads, reads };
    } finally {
      await hive.stop();
    }
  }
  throw new Error('there is at least one run');
}

export interface Woken {
  readonly cold: readonly number[];
  readonly firstReads: readonly number[];
  readonly headers: readonly Record<string, string>[];
}

const listUrl = ({ gateway }: Hive): string => `${gateway}/data/rest/place?limit=1`;

/** One after the other, so that each time is one tenant's own; the first also pays for the connection and is left out of many. */
export async function wake(hive: Hive): Promise<Woken> {
  const [cold, firstReads]: number[][] = [[], []];
  const headers: Record<string, string>[] = [];
  for (const [key, serviceKey] of Object.entries(hive.keys)) {
    const position = positionOf(key);
    const from = performance.now();
    const token = await exchangeToken({ gateway: hive.gateway, headers: position, service_key: serviceKey });
    const between = performance.now();
    const bearer = { ...position, Authorization: `Bearer ${token}` };
    const answer = await fetch(listUrl(hive), { headers: bearer });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`the first read answered ${answer.status} ${text.slice(0, 300)}`);
    cold!.push(between - from);
    firstReads!.push(performance.now() - between);
    headers.push(bearer);
  }
  const others = (all: readonly number[]): readonly number[] => (all.length > 1 ? all.slice(1) : all);
  return { cold: others(cold!), firstReads: others(firstReads!), headers };
}

/** A closed loop whose requests go to all active tenants in turn. */
export async function readTurns(
  hive: Hive,
  turns: Woken['headers'],
  options: Options,
  seconds: number,
): Promise<LoadResult> {
  const { threads, connections = IN_FLIGHT } = options;
  const request = { method: 'GET', headers: {}, body: null, turns };
  return runWrk({ url: listUrl(hive), request, connections, threads, seconds });
}

function figuresOf(one: Measured, alone: Measured, hundred: Measured): Figure[] {
  const many = `${number(one.tenants)} tenants`;
  const active = `${one.active} active`;
  const figures: Figure[] = [
    {
      name: `start-up, ${many}`,
      unit: 'ms',
      value: one.startMs,
      errors: 0,
      note: 'of a process of its own, fork included',
    },
    { name: `idle memory, ${many}`, unit: 'MB', value: one.idleMb, errors: 0 },
    {
      name: `reads, ${many}`,
      unit: 'req/s',
      value: perSecond(one),
      ...mediansOf(one.reads),
      ...busyOf(one.reads),
      runs: one.reads.map((read) => read.perSecond),
      errors: one.reads.reduce((sum, read) => sum + unexpected(read, 200), 0),
      ...(one.tenants <= ACTIVE ? {} : flat(one, hundred)),
      note: `${active} in turn, ${IN_FLIGHT} connections`,
    },
  ];
  if (one === alone) return figures;
  const firsts = (name: string, took: readonly number[], note: string): void => {
    const [p50Ms, p99Ms] = [percentile(took, 50), percentile(took, 99)];
    const target = { of: 'p50Ms', bound: 'max', than: COLD_MS_MAX } as const;
    figures.push({ name: `${name}, ${many}`, unit: 'ms', value: p50Ms, p50Ms, p99Ms, errors: 0, target, note });
  };
  firsts('cold activation', one.cold, `first request of each of ${active}: a key is exchanged`);
  firsts('first read', one.firstReads, 'the next request of each: a list of its empty places');
  const kb = ((one.idleMb - alone.idleMb) * 1000) / (one.tenants - alone.tenants);
  const value = Math.max(0, kb / 1000);
  const target = { of: 'value', bound: 'max', than: IDLE_KB_MAX / 1000 } as const;
  const awake = ((one.usedMb - one.idleMb) * 1000) / one.active;
  const note = `${number(kb)} KB asleep; ${number(awake)} KB for each of ${active} twenty seconds behind the load`;
  // Of a hundred tenants the difference drowns in what two starts of one process differ.
  const held = one.tenants > 10 * ACTIVE ? { target } : {};
  return [...figures, { name: `memory per idle tenant, ${many}`, unit: 'MB', value, errors: 0, ...held, note }];
}

const perSecond = ({ reads }: Measured): number => median(reads.map((read) => read.perSecond));

function flat(one: Measured, hundred: Measured): Pick<Figure, 'ceiling' | 'ratio' | 'rival' | 'target'> {
  return {
    ceiling: perSecond(hundred),
    ratio: perSecond(one) / perSecond(hundred),
    rival: { name: 'as many active among 100', p99Ms: median(hundred.reads.map(({ p99Ms }) => p99Ms)) },
    target: { of: 'ratio', bound: 'min', than: FLAT_MIN },
  };
}

/** 1, 100, and `--tenants`. */
async function measureAll(bench: Bench): Promise<Figure[]> {
  const measured: Measured[] = [];
  for (const tenants of new Set([1, ACTIVE, bench.options.tenants])) {
    bench.log(`  ${number(tenants)} tenants`);
    const dir = await mkdtemp(join(bench.dataDir, 'hive-'));
    try {
      const wish = { dir, tenants, active: Math.min(tenants, ACTIVE), hosts: bench.options.hosts };
      await makeHive(wish);
      measured.push(await measure(wish, bench.options));
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  }
  const [alone, hundred] = measured as [Measured, Measured];
  return measured.flatMap((one) => figuresOf(one, alone, hundred));
}

export const tenants: BenchCase = {
  name: 'tenants',
  measures: '1, 100 and --tenants on one node, 100 active: memory, start-up, cold activation, p99',
  target: '< 100 KB each, cold < 10 ms, flat',
  http: false,
  seconds: ({ pairs, seconds = SECONDS, tenants: most }) =>
    most / MADE_PER_SECOND + 3 * (pairs * (4 + IDLE_MS / 1000 + seconds) + 8),
  run: measureAll,
};
