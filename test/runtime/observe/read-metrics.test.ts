import { describe, expect, test } from 'vitest';
import { expose } from '#runtime/observe/exposition.ts';
import { between, Metrics, quantile, type Buckets } from '#runtime/observe/read-metrics.ts';
import { fc } from '#test/kit/property.ts';

const TEXT = `# HELP a_total Words.
# TYPE a_total counter
a_total{service="data",status="2xx"} 5
a_total{service="data",status="5xx"} 2
a_total{service="bff",status="2xx"} 1.5e3
alone 7
nothing here
t_bucket{service="data",le="0.1"} 1
t_bucket{service="data",le="+Inf"} 3
t_bucket{service="bff",le="0.1"} 4
t_bucket{service="bff",le="+Inf"} 4
`;

test('series are added up by their labels, histograms by their bounds', () => {
  const metrics = Metrics.of(TEXT);
  expect(metrics.sum('a_total')).toBe(1507);
  expect(metrics.sum('a_total', { service: 'data' })).toBe(7);
  expect(metrics.sum('a_total', { service: 'data', status: '5xx' })).toBe(2);
  expect(metrics.sum('alone')).toBe(7);
  expect(metrics.sum('absent')).toBe(0);
  expect(metrics.labels('a_total', 'service')).toEqual(['data', 'bff']);
  expect(metrics.buckets('t')).toEqual([
    [0.1, 5],
    [Infinity, 7],
  ]);
});

test('what the node writes is read back: any label, any number', () => {
  const label = fc.string({ unit: 'binary', maxLength: 20 });
  const value = fc.oneof(fc.integer(), fc.double({ noNaN: true, min: 0 }), fc.constant(Infinity));
  fc.assert(
    fc.property(fc.uniqueArray(fc.tuple(label, value), { maxLength: 8, selector: ([name]) => name }), (series) => {
      const samples = series.map(([name, value]) => ({ labels: { name }, value }));
      const metrics = Metrics.of(expose([{ name: 'a', type: 'gauge', help: 'Words.', samples }]));
      for (const [name, value] of series) expect(metrics.sum('a', { name })).toBe(value + 0);
      expect(metrics.labels('a', 'name')).toEqual(series.map(([name]) => name));
    }),
  );
});

describe('quantile', () => {
  const buckets: Buckets = [
    [1, 10],
    [2, 30],
    [4, 30],
    [Infinity, 40],
  ];

  test.each([
    [0.25, 1],
    [0.5, 1.5],
    [0.75, 2],
    [0.99, 4],
    [1, 4],
  ])('%d of them are below %d', (share, expected) => {
    expect(quantile(share, buckets)).toBeCloseTo(expected, 9);
  });

  test('without observations there is none', () => {
    expect(quantile(0.5, [])).toBeNaN();
    expect(quantile(0.5, [[1, 0]])).toBeNaN();
  });

  test('it lies in the bucket of the observation that it stands for', () => {
    const bounds = [0.001, 0.01, 0.1, 1];
    fc.assert(
      fc.property(
        fc.array(fc.double({ noNaN: true, min: 0, max: 1 }), { minLength: 1, maxLength: 50 }),
        fc.integer({ min: 1, max: 100 }),
        (values, percent) => {
          const all: Buckets = [...bounds, Infinity].map((upTo) => [
            upTo,
            values.filter((value) => value <= upTo).length,
          ]);
          const sorted = values.toSorted((a, b) => a - b);
          const real = sorted[Math.max(0, Math.ceil((percent / 100) * values.length - 1e-9) - 1)]!;
          const upTo = bounds.find((bound) => real <= bound)!;
          const from = [0, ...bounds][bounds.indexOf(upTo)]!;
          const estimated = quantile(percent / 100, all);
          expect(estimated).toBeGreaterThanOrEqual(from);
          expect(estimated).toBeLessThanOrEqual(upTo * (1 + 1e-9));
        },
      ),
    );
  });
});

test('between two scrapes: what came; after a restart: everything', () => {
  const before: Buckets = [
    [1, 5],
    [Infinity, 8],
  ];
  expect(
    between(before, [
      [1, 6],
      [Infinity, 10],
    ]),
  ).toEqual([
    [1, 1],
    [Infinity, 2],
  ]);
  expect(
    between(before, [
      [1, 2],
      [Infinity, 9],
    ]),
  ).toEqual([
    [1, 2],
    [Infinity, 9],
  ]);
});
