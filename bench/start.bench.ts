/** Start-up on existing data, and what the process holds when it has nothing to do. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench, BenchCase } from './harness.ts';
import { rowUrl } from './kit/dev-file.ts';
import type { Figure } from './kit/figure.ts';
import { residentBytesOf } from './kit/machine.ts';
import { answers, hasEnded, spawnServer, stopServer, type ServerOptions } from './kit/server.ts';
import { median } from './kit/stats.ts';

const START_RUNS = 5;
const START_SECONDS = 4;
const START_MS_MAX = 2000;
const LAUNCHED_MS_MAX = 800;
const ANSWER_MS_MAX = 60_000;
const POLL_MS = 5;
const IDLE_RUNS = 3;
const IDLE_MS = 3000;
const IDLE_MB_MAX = 250;

export const startUp: BenchCase = {
  name: 'start-up',
  measures: 'from npm start, and from the launcher, to the first answered read',
  target: 'npm start ≤ 2 s, launcher ≤ 0.8 s',
  http: true,
  seconds: () => 2 * START_RUNS * START_SECONDS,
  async run(bench) {
    const { dev } = await bench.server();
    const headers = { ...dev.headers, Authorization: `Bearer ${await bench.token()}` };
    await bench.stopServer();
    const runs: Record<'npm' | 'launcher', number[]> = { npm: [], launcher: [] };
    for (let i = 0; i < START_RUNS; i++)
      for (const through of ['npm', 'launcher'] as const)
        runs[through].push(await firstAnswer({ ...bench.serverOptions(), through }, rowUrl(dev), headers));
    return [
      startFigure('start-up npm start', runs.npm, START_MS_MAX),
      startFigure('start-up launcher', runs.launcher, LAUNCHED_MS_MAX),
    ];
  },
};

/** Milliseconds from the start of the process to the first 200 on `url`; ends it again. */
async function firstAnswer(
  options: ServerOptions,
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<number> {
  const from = performance.now();
  const starting = spawnServer(options);
  try {
    while (!(await answers(url, headers))) {
      if (hasEnded(starting.child)) throw new Error(`the server did not start: ${starting.said()}`);
      if (performance.now() - from > ANSWER_MS_MAX) throw new Error(`no answer from ${url}: ${starting.said()}`);
      await sleep(POLL_MS);
    }
    return performance.now() - from;
  } finally {
    await stopServer(starting);
  }
}

function startFigure(name: string, runs: readonly number[], max?: number): Figure {
  const target = max === undefined ? {} : { target: { of: 'value', bound: 'max', than: max } as const };
  return { name, unit: 'ms', value: median(runs), runs, errors: 0, ...target };
}

export const idleMemory: BenchCase = {
  name: 'idle-memory',
  measures: 'resident memory 3 s after the start, nothing asked yet',
  target: '≤ 250 MB',
  http: true,
  seconds: () => IDLE_RUNS * (START_SECONDS + IDLE_MS / 1000),
  async run(bench) {
    // The first start on a new directory loads the demo's data; what it leaves in memory is not the idle size.
    await bench.server();
    await bench.stopServer();
    const runs: number[] = [];
    for (let i = 0; i < IDLE_RUNS; i++) runs.push(await idleMb(bench));
    const target = { of: 'value', bound: 'max', than: IDLE_MB_MAX } as const;
    return [{ name: 'idle-memory', unit: 'MB', value: median(runs), runs, errors: 0, target }];
  },
};

async function idleMb(bench: Bench): Promise<number> {
  const { pid } = await bench.server();
  await sleep(IDLE_MS);
  const mb = residentBytesOf(pid) / 1e6;
  await bench.stopServer();
  return mb;
}
