import { describe, expect, test } from 'vitest';
import { compileRule, DefinitionError } from '#actors/kit/rule.ts';

const scope = {
  principal: { type: 'user', subject: 'u1', roles: ['editor'], superadmin: false },
  row: { age: 18, price: 1.5, name: 'abc', none: null, tags: ['a'] },
  request: { method: 'GET' },
  now: new Date(Date.UTC(2026, 0, 1)),
};
const allows = (source: string) => compileRule(source, 'entities/x.yaml:1:1').allows(scope);

describe('rules', () => {
  test.each([
    'true',
    'row.age >= 18',
    'row.age + 1 == 19',
    'row.age - 1 == 17.0',
    '2 * row.age == 36',
    'row.age % 2 == 0',
    'row.age / 2 == 9',
    'row.price + row.age == 19.5',
    '"editor" in principal.roles',
    'row.none == null',
    '!has(row.missing)',
    'row.name.matches("^a.c$")',
    'principal.roles.exists(r, r.matches("^ed"))',
    'timestamp("2025-12-31T00:00:00Z") < now',
    'request.method == "GET"',
  ])('%s is true', (source) => expect(allows(source)).toBe(true));

  test.each(['false', 'row.age > 18', 'row.none > 3', 'row.missing != 1', 'row.name', 'row["__proto__"] == null'])(
    '%s does not allow',
    (source) => expect(allows(source)).toBe(false),
  );

  test('a pattern that backtracks elsewhere is answered in linear time', () => {
    const rule = compileRule('row.name.matches("^(a+)+$")', 'w');
    expect(rule.allows({ ...scope, row: { name: `${'a'.repeat(5000)}!` } })).toBe(false);
    expect(rule.allows({ ...scope, row: { name: 'a'.repeat(5000) } })).toBe(true);
  });

  test('whether a rule reads the row is known before it runs', () => {
    expect(compileRule('principal.superadmin', 'w').usesRow).toBe(false);
    expect(compileRule('[1].exists(x, row.age == x)', 'w').usesRow).toBe(true);
  });

  test('judge throws where allows denies: what failed, or gave no bool', () => {
    const judge = (source: string): boolean => compileRule(source, 'w').judge(scope);
    expect([judge('row.age == row.age'), judge('row.age != row.age')]).toEqual([true, false]);
    expect(() => judge('row.missing > 1')).toThrow(/missing/);
    expect(() => judge('row.name')).toThrow('the rule gives no bool');
  });

  test.each([
    'row.age >=',
    'unknown.x == 1',
    '"text"',
    '1 + 1',
    'row.age.nothing()',
    'matches(row.name, "a")',
    'row.name.matches("(?=a)")',
  ])('%s is refused at load, with its place', (source) => {
    expect(() => compileRule(source, 'entities/x.yaml:7:3')).toThrow(DefinitionError);
    expect(() => compileRule(source, 'entities/x.yaml:7:3')).toThrow(/^entities\/x\.yaml:7:3: /);
  });
});
