/** Times functions in this process with tinybench, in batches where one call is too short for a clock. */
import { Bench as TinyBench } from 'tinybench';
import type { Figure } from './figure.ts';
import type { Options } from './options.ts';
import { timesOf } from './stats.ts';

const SECONDS = 2;
/** A timed batch should take at least this long: the clock's own cost then vanishes in it. */
const BATCH_MS_MIN = 0.2;
const COMPILE_MS = 50;
const BATCH_MAX = 2 ** 20;
const CALIBRATION_TRIES = 3;

/** Milliseconds for which each function is timed. */
export function functionMs(options: Options): number {
  return (options.seconds ?? SECONDS) * 1000;
}

/** Keeps results alive, so that the compiler cannot drop the work. */
const sink: { value: unknown } = { value: undefined };

/**
 * Calls per second and the median time of a call. `run` is called many times; it should give something back, but no promise:
 * unawaited calls would pile up behind the clock (`timeCalls` awaits each).
 */
export async function timeFunction(name: string, run: () => unknown, ms: number, note?: string): Promise<Figure> {
  if (run() instanceof Promise) throw new Error(`${name} gives a promise: time it with timeCalls`);
  const batch = calibrate(run);
  const bench = new TinyBench({ time: ms, warmupTime: ms / 4, throws: true });
  bench.add(name, () => {
    for (let i = 0; i < batch; i++) sink.value = run();
  });
  const [task] = await bench.run();
  const result = task!.result;
  if (!('latency' in result)) throw new Error(`${name}: ${result.state}`);
  const p50Ms = result.latency.p50 / batch;
  return {
    name,
    unit: 'op/s',
    value: 1000 / p50Ms,
    p50Ms,
    // The 99th percentile of batches would only look like one of calls.
    ...(batch === 1 ? { p99Ms: result.latency.p99, p999Ms: result.latency.p999 } : {}),
    errors: 0,
    ...(note === undefined ? {} : { note }),
  };
}

/** The same of a function that gives a promise: one call after the other, each waited for, each timed. */
export async function timeCalls(
  name: string,
  call: () => Promise<unknown>,
  ms: number,
  note?: string,
): Promise<Figure> {
  const warm = performance.now() + ms / 4;
  do sink.value = await call();
  while (performance.now() < warm);
  const took: number[] = [];
  const end = performance.now() + ms;
  for (let from = performance.now(); from < end || took.length === 0;) {
    sink.value = await call();
    const now = performance.now();
    took.push(now - from);
    from = now;
  }
  const perSecond = (took.length * 1000) / took.reduce((sum, one) => sum + one, 0);
  return { name, unit: 'op/s', value: perSecond, ...timesOf(took), errors: 0, ...(note === undefined ? {} : { note }) };
}

/** Calls in a batch. The first calls run uncompiled and would make it too small. */
function calibrate(run: () => unknown): number {
  for (const end = performance.now() + COMPILE_MS; performance.now() < end;) sink.value = run();
  for (let batch = 1; ; batch *= 2) if (batch >= BATCH_MAX || shortestMs(run, batch) >= BATCH_MS_MIN) return batch;
}

/** The shortest of some tries: one in which the thread had to give its core away says nothing. */
function shortestMs(run: () => unknown, batch: number): number {
  let least = Infinity;
  for (let tries = 0; tries < CALIBRATION_TRIES; tries++) {
    const from = performance.now();
    for (let i = 0; i < batch; i++) sink.value = run();
    least = Math.min(least, performance.now() - from);
  }
  return least;
}
