import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { compareCases, comparisonText, isBad, type RunCase } from '#bench/compare/rounds.ts';
import { parseCompare } from '#bench/compare/options.ts';
import { timeFunction } from '#bench/kit/function-bench.ts';

const PLAN = { pairs: 4, threshold: 0.05 };
const work = (times: number) => (): string => {
  let text = 'skep';
  for (let i = 0; i < times; i++) text = hash('sha256', text);
  return text;
};

// Sixty times as much work: the neighbours of a test would have to be as loud to hide it.
test('a planted slowdown of a function is found, and the same slowdown removed is a gain', async () => {
  const run =
    (base: number, branch: number): RunCase =>
    async (side) => ({
      figures: [await timeFunction('planted', work(side === 'base' ? base : branch), 40)],
      failures: [],
    });
  const slower = await compareCases(['planted'], run(4, 256), PLAN);
  expect(slower.compared.map(({ figure, verdict }) => [figure, verdict])).toEqual([['planted', 'slower']]);
  expect(slower.compared[0]!.interval.ratio).toBeLessThan(0.5);
  expect(isBad(slower)).toBe(true);
  expect(comparisonText(slower)).toMatch(/planted .* slower +0/);
  const faster = await compareCases(['planted'], run(256, 4), PLAN);
  expect(faster.compared[0]!.verdict).toBe('faster');
  expect(isBad(faster)).toBe(false);
});

const figure = (name: string, value: number, errors = 0) => ({ name, unit: 'op/s' as const, value, errors });

test('the sides alternate, figures of one side only are left out, a case that fails does not stop the next', async () => {
  const order: string[] = [];
  const run: RunCase = async (side, name) => {
    order.push(`${name} ${side}`);
    if (name === 'broken' && side === 'branch') return { figures: [], failures: [{ case: name, message: 'it broke' }] };
    return { figures: [figure('kept', 100), ...(side === 'branch' ? [figure('new', 1)] : [])], failures: [] };
  };
  const comparison = await compareCases(['broken', 'sound'], run, PLAN);
  expect(comparison.failures).toEqual([{ case: 'broken', message: 'the branch failed: it broke' }]);
  expect(comparison.compared.map((one) => [one.figure, one.verdict, one.samples.length])).toEqual([
    ['kept', 'same', 4],
  ]);
  expect(order.slice(2)).toEqual(
    [0, 1, 2, 3].flatMap((i) => (i % 2 === 0 ? ['base', 'branch'] : ['branch', 'base']).map((side) => `sound ${side}`)),
  );
  expect(isBad(comparison)).toBe(true);
});

test('a wrong answer is bad however fast it is', async () => {
  const wrong = await compareCases(['x'], async () => ({ figures: [figure('x', 1, 1)], failures: [] }), PLAN);
  expect(wrong.compared[0]).toMatchObject({ verdict: 'same', errors: 8 });
  expect(isBad(wrong)).toBe(true);
});

test('the command line', () => {
  expect(parseCompare([])).toBeNull();
  expect(parseCompare(['main', 'jq', '--threshold', '3'])).toMatchObject({
    ref: 'main',
    cases: ['jq'],
    threshold: 0.03,
  });
  expect(parseCompare(['main'])!.cases.length).toBeGreaterThan(0);
  expect(() => parseCompare(['main', '--pairs', '1'])).toThrow('--pairs takes a whole number from 2 on');
  expect(() => parseCompare(['main', '--threshold', '0'])).toThrow('--threshold takes per cent');
});
