/** Two servers at once: what a round says of each, and of both. */
import { expect, test } from 'vitest';
import { figureOf, ratiosOf } from '#bench/together/run.ts';

const taken = (requests: number, cpuMs: number) => ({ requests, cpuMs });

test('rounds in which the machine was slower for both say nothing of either', () => {
  const rounds = [1, 0.4, 0.7].map((pace) => ({
    base: taken(1000 * pace, 100),
    branch: taken(990 * pace, 100),
  }));
  const { requests, cpuPerRequest } = ratiosOf(rounds);
  expect(requests.ratio).toBeCloseTo(0.99);
  expect(requests.high - requests.low).toBeCloseTo(0);
  expect(cpuPerRequest.ratio).toBeCloseTo(1000 / 990);
});

test('a side that answers as much for half of the time costs half', () => {
  const rounds = [1, 2].map((pace) => ({ base: taken(100 * pace, 50 * pace), branch: taken(100 * pace, 25 * pace) }));
  expect(ratiosOf(rounds).cpuPerRequest.ratio).toBeCloseTo(0.5);
});

test('its figure is the rate of this checkout, beside the other one', () => {
  const rounds = [1, 3, 2].map((pace) => ({ base: taken(1200 * pace, 10), branch: taken(600 * pace, 10) }));
  expect(figureOf('create', rounds, { seconds: 6, base: 'abc' })).toMatchObject({
    name: 'together create',
    value: 200,
    ceiling: 400,
    ratio: 0.5,
    rival: { name: 'commit abc' },
  });
});
