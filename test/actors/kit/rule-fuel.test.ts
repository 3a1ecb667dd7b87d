/** Rules burn by what they look at and make, and end where their fuel does (R2). */
import { describe, expect, test } from 'vitest';
import { fuelled, fuelLeft, OutOfFuel } from '#actors/kit/pace/fuel.ts';
import { compileRule, compileValue, type RuleFault } from '#actors/kit/rule.ts';
import { limits } from '#config/limits.ts';
import { fc } from '#test/kit/property.ts';

const scopeOf = (row: object, data: object = {}) => ({ principal: {}, row, request: { data }, now: new Date(0) });

let looks = 0;

/** Values that count each look at an item of a list or a member of an object. */
function counted<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  const inner = Array.isArray(value)
    ? value.map((one: unknown) => counted(one))
    : Object.fromEntries(Object.entries(value).map(([key, one]) => [key, counted(one as unknown)]));
  return new Proxy(inner, {
    get: (target, key, receiver) => {
      looks++;
      return Reflect.get(target, key, receiver) as unknown;
    },
  }) as T;
}

const texts = Array.from({ length: 6000 }, (_, i) => `tag-${i}`);

describe('what held a host for half a minute', () => {
  const told: RuleFault[] = [];
  const allows = (rule: string, row: object, data: object) =>
    compileRule(rule, 'entities/x.yaml:3:7').allows(scopeOf(row, data), (fault) => void told.push(fault));

  test('two lists of 6000 held against each other: denied within the cap of one evaluation, and said', () => {
    looks = 0;
    const row = counted({ tags: texts.map((text) => `${text}!`) });
    const rule = 'request.data.tags.all(a, !row.tags.exists(b, a == b))';
    expect(allows(rule, row, counted({ tags: texts }))).toBe(false);
    expect(looks).toBeLessThan(2 * limits.rules.evaluationUnits);
    expect(told.pop()).toMatchObject({ where: 'entities/x.yaml:3:7', tooCostly: true });
  });

  test('three exists in one another over 200 elements', () => {
    looks = 0;
    const row = counted({ l: texts.slice(0, 200) });
    expect(allows('row.l.exists(a, row.l.exists(b, row.l.exists(c, a + b == c)))', row, {})).toBe(false);
    expect(looks).toBeLessThan(2 * limits.rules.evaluationUnits);
  });

  test.each([
    ['a disjunction does not go on behind it', 'row.l.all(a, row.l.all(b, row.l.all(c, a != b + c))) || true'],
    ['nor a list', '[1, 2].exists(x, row.l.all(a, row.l.all(b, row.l.all(c, a != b + c))) || x == 2)'],
    ['nor a default', 'optional.of(row.l.all(a, row.l.all(b, row.l.all(c, a != b + c)))).orValue(true) || true'],
  ])('%s', (_, rule) => expect(allows(rule, { l: texts.slice(0, 200) }, {})).toBe(false));

  test('a text that is searched for in a text like it', () => {
    const text = 'a'.repeat(100_000);
    const needle = `${'a'.repeat(25_000)}b${'a'.repeat(25_000)}`;
    for (const rule of ['row.t.contains(row.n)', 'row.t.indexOf(row.n) > 0', 'row.t.split(row.n).size() == 2'])
      expect(allows(rule, { t: text, n: needle }, {})).toBe(false);
    expect(told.every(({ tooCostly }) => tooCostly)).toBe(true);
  });

  test('doubling a text, a list', () => {
    const doubled = (times: number, from: string): string =>
      Array.from({ length: times }).reduce<string>((inner) => `cel.bind(x, ${inner}, x + x)`, from);
    expect(allows(`size(${doubled(26, 'row.t')}) > 0`, { t: 'abcdefgh' }, {})).toBe(false);
    expect(allows(`size(${doubled(26, 'row.l')}) > 0`, { l: [1] }, {})).toBe(false);
    expect(allows('row.l.join(row.t).size() > 0', { l: texts, t: 'x'.repeat(100_000) }, {})).toBe(false);
  });

  test('patterns that callers bring', () => {
    expect(allows('"aaaa".matches(row.p)', { p: 'a{0,1000}'.repeat(20) }, {})).toBe(false);
    expect(allows('row.t.matches(row.p)', { t: 'a'.repeat(50_000), p: '(a|aa)+[bc]' }, {})).toBe(false);
  });

  test('a map of very many keys burns by them each time that it is compared', () => {
    const m = Object.fromEntries(texts.map((text, i) => [text, i]));
    const others = { m: { ...m, more: 1 }, l: texts };
    expect(allows('row.m != request.data.m', { m }, others)).toBe(true);
    expect(allows('request.data.l.all(x, row.m != request.data.m)', { m }, others)).toBe(false);
    expect(allows('request.data.l.all(x, x in row.m)', { m }, others)).toBe(true);
    expect(allows('request.data.l.all(x, row.m.exists(k, k == x))', { m }, others)).toBe(false);
  });

  test.each([
    'row.l in row.m',
    'row.m[row.l] == 1',
    'row.m[?row.l].orValue(1) == 1',
    'row.l[row.l] == 1',
    'size({row.l: 1}) == 1',
    'row.b in row.m',
    '[row.l, [row.l]] in row.m',
  ])('a list or bytes where a key belongs burn by their length: %s', (rule) => {
    const row = { l: texts, m: { a: 1 }, b: new Uint8Array(6000) };
    expect(allows(`request.data.l.all(x, ${rule} || true)`, row, { l: texts })).toBe(false);
    expect(told.pop()).toMatchObject({ tooCostly: true });
  });

  test('values nested in ever other ways leave nothing behind: types are told apart two lists deep', () => {
    const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);
    for (const depth of [1, 2, 3, 50])
      expect(allows('row.a == row.b', { a: nested(depth), b: nested(depth) }, {})).toBe(true);
    expect(allows('row.a == row.b', { a: nested(50), b: nested(49) }, {})).toBe(false);
  });
});

describe('the turn around it', () => {
  test('with too little left nothing is decided: neither true nor false', () => {
    const rule = compileRule('row.l.all(a, row.l.exists(b, a == b))', 'w');
    const scope = scopeOf({ l: texts.slice(0, 20) });
    expect(rule.allows(scope)).toBe(true);
    expect(() => fuelled(100, () => rule.allows(scope))).toThrow(OutOfFuel);
    expect(() => fuelled(100, () => rule.judge(scope))).toThrow(OutOfFuel);
  });

  test('what decides which rows are looked up says nothing rather than a part', () => {
    const rule = compileRule('request.data.l.all(a, a != "x") || row.owner == "u1"', 'w');
    const scope = { ...scopeOf({}, { l: texts }) };
    expect(rule.narrow!(scope)).toEqual([]);
    expect(rule.narrow!(scopeOf({}, { l: [...texts.slice(0, 100), 'x'] }))).toEqual([
      { field: 'owner', op: 'eq', value: 'u1' },
    ]);
    expect(fuelled(10, () => rule.narrow!(scopeOf({}, { l: [...texts.slice(0, 100), 'x'] })))).toEqual([]);
  });

  test('a computed value says that it needs too much', () => {
    const value = compileValue('row.l.map(a, row.l.filter(b, a != b).size()).size()', 'w');
    expect(() => value({ l: texts })).toThrow(/needs more than/);
    expect(Number(value({ l: texts.slice(0, 50) }))).toBe(50);
  });
});

/** Expressions over lists, texts and objects, in comprehensions of up to three levels. */
function expressions(depth: number, names: readonly string[]): fc.Arbitrary<string> {
  const lists = ['row.list', 'row.other', 'row.nested', ...(depth < 3 ? ['row.texts'] : [])];
  const leaf = fc.constantFrom(...names, ...lists, 'row.text', 'row.map', '1', '"ab"', 'true', '[1, "ab"]');
  if (depth === 0) return leaf;
  const inner = expressions(depth - 1, [...names, `v${depth}`]);
  const own = expressions(depth - 1, names);
  const list = fc.constantFrom(...lists);
  return fc.oneof(
    leaf,
    fc
      .tuple(list, fc.constantFrom('all', 'exists', 'exists_one', 'filter'), inner)
      .map(([of, name, test]) => `${of}.${name}(v${depth}, ${test} == ${test})`),
    fc
      .tuple(list, fc.constantFrom('all', 'exists'), inner, inner)
      .map(([of, name, a, b]) => `${of}.${name}(v${depth}, ${a} != ${b})`),
    fc.tuple(list, inner).map(([of, to]) => `${of}.map(v${depth}, ${to})`),
    fc.tuple(own, own).map(([a, b]) => `(${a} in ${b})`),
    fc.tuple(own, own).map(([a, b]) => `${b}[?${a}]`),
    fc.tuple(own, own).map(([a, b]) => `{${a}: ${b}}`),
    fc.tuple(own, own).map(([a, b]) => `(${a} + ${b})`),
    fc.tuple(own, own).map(([a, b]) => `(${a} == ${b})`),
    fc.tuple(own, own, own).map(([a, b, c]) => `(${a} == ${b} ? ${b} : ${c})`),
    own.map((a) => `size(${a})`),
    fc.tuple(own, own).map(([a, b]) => `row.texts.join("-").contains(string(size(${a}))) || ${b} == ${b}`),
  );
}

const scalar = fc.oneof(
  fc.integer({ min: 0, max: 3 }),
  fc.constantFrom('ab', 'a', ''),
  fc.boolean(),
  fc.constant(null),
);
const rows = fc.record({
  list: fc.array(scalar, { maxLength: 40 }),
  other: fc.array(scalar, { maxLength: 40 }),
  nested: fc.array(fc.array(scalar, { maxLength: 5 }), { maxLength: 20 }),
  texts: fc.array(fc.constantFrom('ab', 'abc', 'a'.repeat(300)), { maxLength: 20 }),
  text: fc.string({ maxLength: 500 }),
  // As JSON.parse makes them.
  map: fc.dictionary(fc.string({ maxLength: 3 }), scalar, { maxKeys: 20, noNullPrototype: true }),
});

/** Looks for one unit: a value is weighed before it is looked at, and a look at a list asks its length and its kind, too. */
const LOOKS_PER_UNIT = 12;
const MORE_THAN_ENOUGH = 10 ** 9;

/** What an expression burned, and what it looked at meanwhile; null where it is no expression. */
function measured(
  source: string,
  row: object,
): { readonly burned: number; readonly looks: number; readonly made: number } | null {
  let value: (row: object) => unknown;
  try {
    value = compileValue(source, 'w');
  } catch {
    return null;
  }
  const seen = counted(row);
  looks = 0;
  return fuelled(MORE_THAN_ENOUGH, () => {
    let result: unknown;
    try {
      result = value(seen);
    } catch {
      result = null;
    }
    const made = typeof result === 'string' || Array.isArray(result) ? result.length : 0;
    return { burned: MORE_THAN_ENOUGH - fuelLeft(), looks, made };
  });
}

describe('whatever the expression', () => {
  test('work is bounded by what was burned, and no expression burns more than its cap', () => {
    let compiled = 0;
    fc.assert(
      fc.property(expressions(3, []), rows, (source, row) => {
        const found = measured(source, row);
        if (found === null) return;
        compiled++;
        expect(found.looks).toBeLessThanOrEqual(LOOKS_PER_UNIT * (found.burned + 8));
        expect(found.made).toBeLessThanOrEqual(16 * (found.burned + 40));
        expect(found.burned).toBeLessThanOrEqual(limits.rules.evaluationUnits);
      }),
      { numRuns: 1500 },
    );
    expect(compiled).toBeGreaterThan(300);
  });

  test('with less than it burns it always ends without an answer', () => {
    let stopped = 0;
    fc.assert(
      fc.property(expressions(2, []), rows, fc.double({ min: 0, max: 0.99, noNaN: true }), (source, row, share) => {
        const found = measured(source, row);
        if (found === null || found.burned < 2 || found.burned >= limits.rules.evaluationUnits) return;
        const value = compileValue(source, 'w');
        const tank = Math.floor(found.burned * share);
        if (tank >= found.burned) return;
        stopped++;
        expect(() => fuelled(tank, () => value(row))).toThrow(OutOfFuel);
      }),
      { numRuns: 800 },
    );
    expect(stopped).toBeGreaterThan(100);
  });
});
