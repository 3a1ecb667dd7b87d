/**
 * Records how long slices of plans and retention held their thread: all of them in histograms, and the longest of the last interval. Wall-clock
 * time is what waiting callers see; the thread's processor time is the cost of the slice itself, garbage collection included. The difference is
 * time in which the thread had no processor, or waited for a page of LMDB.
 */
import { histogramOf, type Meter } from './meter.ts';
import { cellOf } from './metric-table.ts';

const EVERY_MS = 5000;

/** Begins a slice; the caller runs the result at its end. */
export type BeginSlice = () => () => void;

/** Starts watching; the timer does not keep the thread alive. `threadTime`: milliseconds of the thread's processor time. */
export function sliceMeter(meter: Meter, threadTime: () => number, everyMs = EVERY_MS): BeginSlice {
  const wall = new Lengths(meter, 'sliceSeconds', 'sliceMax');
  const own = new Lengths(meter, 'sliceCpuSeconds', 'sliceCpuMax');
  setInterval(() => {
    wall.nextInterval();
    own.nextInterval();
  }, everyMs).unref();
  return () => {
    const began = performance.now();
    const ownBegan = threadTime();
    return () => {
      own.add((threadTime() - ownBegan) / 1000);
      wall.add((performance.now() - began) / 1000);
    };
  };
}

/** Durations of slices by one clock. */
class Lengths {
  readonly #meter: Meter;
  readonly #histogram: ReturnType<typeof histogramOf>;
  readonly #cell: number;
  #longest = 0;
  #before = 0;

  constructor(meter: Meter, histogram: 'sliceSeconds' | 'sliceCpuSeconds', max: 'sliceMax' | 'sliceCpuMax') {
    this.#meter = meter;
    this.#histogram = histogramOf(histogram);
    this.#cell = cellOf(max);
  }

  add(seconds: number): void {
    this.#meter.observe(this.#histogram, seconds);
    if (seconds <= this.#longest) return;
    this.#longest = seconds;
    if (seconds > this.#before) this.#meter.set(this.#cell, seconds);
  }

  nextInterval(): void {
    this.#before = this.#longest;
    this.#longest = 0;
    this.#meter.set(this.#cell, this.#before);
  }
}
