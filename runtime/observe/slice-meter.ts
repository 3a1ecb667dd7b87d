/** Keeps how long slices of plans and retention held their thread: all of them in a histogram, and the longest of the last interval. */
import { histogramOf } from './meter.ts';
import type { Meter } from './meter.ts';
import { cellOf } from './metric-table.ts';

const EVERY_MS = 5000;

/** Begins a slice; whoever began it calls the result at its end. */
export type BeginSlice = () => () => void;

/** Starts watching; the timer does not keep the thread alive. */
export function sliceMeter(meter: Meter, everyMs = EVERY_MS): BeginSlice {
  const histogram = histogramOf('sliceSeconds');
  const cell = cellOf('sliceMax');
  let longest = 0;
  let before = 0;
  setInterval(() => {
    before = longest;
    longest = 0;
    meter.set(cell, before);
  }, everyMs).unref();
  return () => {
    const began = performance.now();
    return () => {
      const seconds = (performance.now() - began) / 1000;
      meter.observe(histogram, seconds);
      if (seconds <= longest) return;
      longest = seconds;
      if (longest > before) meter.set(cell, longest);
    };
  };
}
