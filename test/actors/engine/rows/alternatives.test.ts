import { expect, test } from 'vitest';
import { conjunctionOfTree, type Tree } from '#actors/engine/rows/alternatives.ts';
import { equals, predicatesIn } from '#actors/engine/rows/query.ts';
import { fc } from '#test/kit/property.ts';
import { testSeed } from '#test/kit/seed.ts';
import { meets, truthOf, type Row } from './query-oracle.ts';
import { rowArbitrary, tree } from './query-scenario.ts';

const seed = testSeed();

test(`what callers write and the form without NOT admit the same rows (seed ${seed})`, () => {
  const reached = { met: 0, unknown: 0, negated: 0 };
  const property = fc.property(tree, fc.array(rowArbitrary, { minLength: 20, maxLength: 20 }), (asked, rows) => {
    const made = conjunctionOfTree(asked);
    if (JSON.stringify(asked).includes('"not"')) reached.negated++;
    for (const row of rows as Row[]) {
      const truth = truthOf(asked, row);
      expect(meets(made, row)).toBe(truth === true);
      if (truth === true) reached.met++;
      if (truth === null) reached.unknown++;
    }
  });
  fc.assert(property, { numRuns: 3000, seed });
  for (const [what, count] of Object.entries(reached)) expect(count, what).toBeGreaterThan(500);
});

test('a NOT around alternatives gives conditions that an index can answer', () => {
  const not: Tree = { kind: 'not', of: { kind: 'any', of: [equals('t', 'p'), { ...equals('i', 3), op: 'gt' }] } };
  expect(conjunctionOfTree(not)).toEqual({
    where: [
      { ...equals('t', 'p'), op: 'ne' },
      { ...equals('i', 3), op: 'lte' },
    ],
    any: [],
  });
});

test('predicates are counted wherever they stand', () => {
  const two: Tree = {
    kind: 'any',
    of: [equals('t', 'p'), { kind: 'not', of: { ...equals('i', 0), op: 'between', value: [1, 2] } }],
  };
  expect(predicatesIn(conjunctionOfTree(two))).toHaveLength(3);
});
