/** Metrics of slices: each slice in both histograms, and the longest, which is shown for one more interval. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { limits } from '#config/limits.ts';
import { METRICS, SLICE_SECONDS_MAX } from '#runtime/observe/metric-rows.ts';
import { cellOf, createMetricTable } from '#runtime/observe/metric-table.ts';
import { Meter } from '#runtime/observe/meter.ts';
import { sliceMeter } from '#runtime/observe/slice-meter.ts';
import { loadThreadTime } from '#runtime/observe/thread-time.ts';

const EVERY_MS = 1000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a slice counts by the wall clock and by what its thread did, the longest for its interval and the next', () => {
  const table = createMetricTable(1);
  const cells = new Float64Array(table);
  let own = 0;
  const begin = sliceMeter(new Meter(table, 0), () => own, EVERY_MS);
  const slice = (wallMs: number, ownMs: number): void => {
    const end = begin();
    vi.advanceTimersByTime(wallMs);
    own += ownMs;
    end();
  };
  const longest = () => [cells[cellOf('sliceMax')], cells[cellOf('sliceCpuMax')]];
  slice(8, 1.5);
  slice(3, 2.75);
  expect(longest()).toEqual([expect.closeTo(0.008), expect.closeTo(0.00275)]);
  const sumAt = METRICS.sliceSeconds.bounds.length + 1;
  expect(cells[cellOf('sliceSeconds') + sumAt]).toBeCloseTo(0.011);
  expect(cells[cellOf('sliceCpuSeconds') + sumAt]).toBeCloseTo(0.00425);
  vi.advanceTimersByTime(EVERY_MS);
  slice(1, 1);
  expect(longest()).toEqual([expect.closeTo(0.008), expect.closeTo(0.00275)]);
  vi.advanceTimersByTime(EVERY_MS);
  expect(longest()).toEqual([expect.closeTo(0.001), expect.closeTo(0.001)]);
});

test('the bound of a slice is a bound of the histograms', () => {
  expect(METRICS.sliceSeconds.bounds).toContain(SLICE_SECONDS_MAX);
  expect(SLICE_SECONDS_MAX * 1000).toBe(limits.plans.sliceMsMax);
  expect(METRICS.sliceSeconds.bounds).toEqual([...METRICS.sliceSeconds.bounds].sort((a, b) => a - b));
});

test("a thread's time goes forward with its work, and by less than the kernel's tick", async () => {
  const threadTime = await loadThreadTime();
  let before = threadTime();
  const steps = Array.from({ length: 2000 }, () => {
    const now = threadTime();
    const step = now - before;
    before = now;
    return step;
  });
  expect(Math.min(...steps)).toBeGreaterThan(0);
  expect(steps.toSorted((a, b) => a - b)[1000]).toBeLessThan(1);
});
