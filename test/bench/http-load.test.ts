import { expect, test } from 'vitest';
import { figureOf, httpSeconds, type HttpSpec } from '#bench/kit/http-load.ts';
import { parseOptions } from '#bench/kit/options.ts';
import type { LoadResult } from '#bench/kit/wrk-output.ts';

const spec: HttpSpec = {
  name: 'read',
  url: () => '',
  request: () => ({ method: 'GET', headers: {}, body: null }),
  connections: 64,
  seconds: 60,
  expect: 200,
  target: { of: 'ratio', bound: 'min', than: 0.5 },
};

const result = (perSecond: number, change: Partial<LoadResult> = {}): LoadResult => ({
  requests: perSecond,
  seconds: 1,
  perSecond,
  bytes: 0,
  p50Ms: 1,
  p90Ms: 2,
  p99Ms: 3,
  p999Ms: 4,
  maxMs: 5,
  socketErrors: 0,
  statusErrors: 0,
  ...change,
});

test('a figure holds the medians of its rounds and the errors of both sides', () => {
  const figure = figureOf(spec, [
    { hello: result(100, { socketErrors: 1 }), work: result(60, { p50Ms: 9 }) },
    { hello: result(200), work: result(80, { p50Ms: 2, statusErrors: 2 }) },
    { hello: result(120), work: result(66, { p50Ms: 5 }) },
  ]);
  expect(figure).toMatchObject({ value: 66, ceiling: 120, p50Ms: 5, p99Ms: 3, p999Ms: 4, errors: 3 });
  expect(figure.ratio).toBeCloseTo(0.55);
  expect(figure.pairs).toEqual([
    { ceiling: 100, value: 60 },
    { ceiling: 200, value: 80 },
    { ceiling: 120, value: 66 },
  ]);
  expect(figure.target).toBe(spec.target);
});

test('the estimate counts warm-up and both sides of every pair, the hello at most 10 s', () => {
  expect(httpSeconds(spec, parseOptions([]))).toBe(3 * 70 + 4);
  expect(httpSeconds(spec, parseOptions(['--seconds', '1', '--pairs', '2']))).toBe(2 * 2 + 2);
});
