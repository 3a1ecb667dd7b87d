import { expect, test } from 'vitest';
import { functionMs, timeCalls, timeFunction } from '#bench/kit/function-bench.ts';
import { parseOptions } from '#bench/kit/options.ts';

test('a short function is timed in batches, so its percentile of calls is unknown', async () => {
  let calls = 0;
  const figure = await timeFunction('short', () => calls++, 20, 'a note');
  expect(figure).toMatchObject({ name: 'short', unit: 'op/s', errors: 0, note: 'a note' });
  expect(figure.value).toBeCloseTo(1000 / figure.p50Ms!);
  expect(figure.p99Ms).toBeUndefined();
  expect(calls).toBeGreaterThan(1000);
});

test('a long function is timed call by call', async () => {
  const wait = new Int32Array(new SharedArrayBuffer(4));
  const figure = await timeFunction('long', () => Atomics.wait(wait, 0, 0, 1), 20);
  expect(figure.p50Ms).toBeGreaterThanOrEqual(0.5);
  expect(figure.p99Ms).toBeGreaterThanOrEqual(figure.p50Ms!);
});

test('a function that throws fails the case', async () => {
  const broken = (): never => {
    throw new Error('it broke');
  };
  await expect(timeFunction('broken', broken, 20)).rejects.toThrow('it broke');
});

test('how long each function is timed', () => {
  expect(functionMs(parseOptions(['--seconds', '3']))).toBe(3000);
});

test('a function that gives a promise is refused where the bench would not wait for it, and awaited where it does', async () => {
  let [running, together, calls] = [0, 0, 0];
  const call = async (): Promise<void> => {
    together = Math.max(together, ++running);
    calls++;
    await new Promise(setImmediate);
    running--;
  };
  await expect(timeFunction('async', call, 20)).rejects.toThrow('async gives a promise');
  expect(calls).toBe(1);
  await new Promise(setImmediate);
  const figure = await timeCalls('async', call, 20, 'a note');
  expect(figure).toMatchObject({ name: 'async', unit: 'op/s', errors: 0, note: 'a note' });
  expect(figure.p99Ms).toBeGreaterThanOrEqual(figure.p50Ms!);
  expect(together).toBe(1);
});
