/** How V8 collects the garbage of this process. Measured in docs/decisions/runtime.md RT-21 and RT-45. */
import { performance } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
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

/** When a thread that has started is first looked at, and how often until it has settled. */
const FIRST_LOOK_MS = 1500;
const LOOK_MS = 500;
/** How often it is looked at from then on, and for how many of these looks it has to be idle. */
const LATER_LOOK_MS = 5000;
const IDLE_LOOKS = 2;
/** A thread that worked for less of the time since the last look is idle. */
const IDLE_UTILIZATION = 0.1;
/** A larger heap would hold the thread for longer than a caller who comes meanwhile should wait. */
const SETTLED_HEAP_BYTES_MAX = 128 * 1024 * 1024;

/** When a thread has worked and is idle again: at the first look behind its start, later behind some. */
export class IdleWatch {
  #hasWorked = true;
  #idleLooks = 0;
  #looksNeeded = 1;

  /** Whether the thread is to settle now, by how much of the time since the last look it worked. */
  saw(utilization: number): boolean {
    if (utilization >= IDLE_UTILIZATION) {
      this.#hasWorked = true;
      this.#idleLooks = 0;
      return false;
    }
    return this.#hasWorked && ++this.#idleLooks >= this.#looksNeeded;
  }

  settled(): void {
    this.#hasWorked = false;
    this.#looksNeeded = IDLE_LOOKS;
  }

  /** Until the next look. */
  get everyMs(): number {
    return this.#looksNeeded === IDLE_LOOKS ? LATER_LOOK_MS : LOOK_MS;
  }
}

/** For how long a thread that is needed at once is not looked at. */
const NEEDED_MS = 5000;

/** Of this thread. */
const watch = new IdleWatch();
let isNeededUntil = -Infinity;

/** Callers wait for this thread, or will within moments, as where its node takes the place of another one: what is left is given back later. */
export function settleLater(): void {
  isNeededUntil = performance.now() + NEEDED_MS;
}

/**
 * Gives back what work has left whenever this thread is idle behind it, first behind its start: loading code and a load of requests fill a young generation that V8 would keep at its full size for
 * minutes. It takes the thread some 50 ms. `then` is called each time.
 */
export function settleWhenIdle(then: () => void = () => undefined): void {
  let before = performance.eventLoopUtilization();
  const look = (): void => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    if (watch.saw(utilization) && performance.now() >= isNeededUntil && settleNow()) then();
    setTimeout(look, watch.everyMs).unref();
  };
  setTimeout(() => {
    before = performance.eventLoopUtilization();
    setTimeout(look, LOOK_MS).unref();
  }, FIRST_LOOK_MS).unref();
}

/** At once, for a thread that is to wait with nothing to do, and may be called at any moment then. Whether it has, or has too much to look through for it. */
export function settleNow(): boolean {
  const isSettled = getHeapStatistics().used_heap_size > SETTLED_HEAP_BYTES_MAX || collectAll();
  if (isSettled) watch.settled();
  return isSettled;
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
