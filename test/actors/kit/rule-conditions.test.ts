/** The conditions of a rule, each a rule of its own: put together as the rule does, they give what it gives. */
import { expect, test } from 'vitest';
import { compileRule } from '#actors/kit/rule.ts';
import { limits } from '#config/limits.ts';

const textsOf = (source: string): string[] =>
  compileRule(source, 'w')
    .parts()
    .map(({ text }) => text);

test.each([
  ['true', ['true']],
  ['row.a == 1 && (row.b || !(row.c in ["x"]))', ['row.a == 1', 'row.b', 'row.c in ["x"]']],
  ["row.a == 1 ? 'x' in principal.roles : row.b", ['row.a == 1', "'x' in principal.roles", 'row.b']],
  // What a macro binds has no meaning outside of it.
  [
    'principal.roles.exists(r, r == "x" || r == row.a) || row.b',
    ['principal.roles.exists(r, r == "x" || r == row.a)', 'row.b'],
  ],
  ['row.a || row.b || row.a', ['row.a', 'row.b']],
])('%s', (source, texts) => expect(textsOf(source)).toEqual(texts));

test('each gives by itself what it gives in the rule', () => {
  const rule = compileRule('row.a > 1 || row.missing == 2', 'w');
  const scope = { principal: {}, row: { a: 1 }, request: {}, now: new Date(0) };
  const faults: string[] = [];
  expect(rule.parts().map((part) => part.rule.allows(scope, ({ why }) => faults.push(why)))).toEqual([false, false]);
  expect(faults).toHaveLength(1);
  expect(rule.parts()).toBe(rule.parts());
});

test('a rule of very many has the first of them', () => {
  const source = Array.from({ length: 100 }, (_, at) => `row.a == ${at}`).join(' || ');
  expect(textsOf(`(${source})`)).toHaveLength(limits.rules.conditionsMax);
});
