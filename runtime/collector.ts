/** How V8 collects the garbage of this process. Measured in docs/decisions/runtime.md RT-21 and RT-45. */
import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { loadC } from '#storage/libc.ts';

/**
 * Turns pretenuring off: V8 watches which allocation sites make objects that survive, and then allocates those in the old generation at
 * once. Sites that every request passes were judged by the first seconds, when models and caches are built; their garbage then needed
 * full collections, several a second, whose helper threads took both cores from door and hosts for 25 ms each.
 * Applies to every thread of the process from its next compilation on, so it has to be called before threads start.
 */
export function letYoungObjectsDieYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}

/** When a thread that has started is looked at, and how often again while it is busy. */
const FIRST_LOOK_MS = 1500;
const LOOK_MS = 500;
const LOOKS_MAX = 120;
/** A thread that worked for less of the time since the last look is idle. */
const IDLE_UTILIZATION = 0.1;

/**
 * Gives back what the start of this thread left, once, at the first look that finds it idle: loading code fills a young generation that V8 would
 * keep at its full size for minutes. It takes the thread some 50 ms; one that has been busy since its start is left alone.
 */
export function settleWhenIdle(then: () => void = () => undefined): void {
  let [looks, before] = [0, performance.eventLoopUtilization()];
  const look = (): void => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    if (utilization < IDLE_UTILIZATION && collectAll()) then();
    else if (++looks < LOOKS_MAX) setTimeout(look, LOOK_MS).unref();
  };
  setTimeout(() => {
    before = performance.eventLoopUtilization();
    setTimeout(look, LOOK_MS).unref();
  }, FIRST_LOOK_MS).unref();
}

/** The other threads settle at about the same time as main. */
const TRIM_MS = 1000;

/** As `settleWhenIdle`, for main: afterwards the C library gives back what all threads have freed. musl has no such call, and keeps less. */
export function settleProcessWhenIdle(): void {
  const trim = async (): Promise<void> => {
    const mallocTrim = await loadC<(pad: number) => number>('int malloc_trim(size_t pad)').catch(() => null);
    mallocTrim?.(0);
  };
  settleWhenIdle(() => setTimeout(() => void trim(), TRIM_MS).unref());
}

type Collect = (options: { type: 'major'; flavor: 'last-resort' }) => void;

/**
 * `last-resort` also shrinks the young generation, and gives its pages back to the system. V8 has the function in contexts that are made while a flag of
 * the process stands, which another thread may just have taken back: false then.
 */
function collectAll(): boolean {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('globalThis.gc') as Collect | undefined;
  setFlagsFromString('--no-expose-gc');
  collect?.({ type: 'major', flavor: 'last-resort' });
  return collect !== undefined;
}
