/** What the address of rows says, and what is asked by it. */
import { describe, expect, test } from 'vitest';
import { OPERATORS } from '#console/data/operators.ts';
import { curlOf, queryOf, searchOf, turned, viewOf } from '#console/data/view.ts';
import { parseSearch, stringifySearch } from '#console/frame/search.ts';
import { homeOf, isProduction, keyOfPath, keyOfText } from '#console/session/position.ts';
import { fc } from '#test/kit/property.ts';

const field = fc.stringMatching(/^(?:f_[a-z]{1,8}|\[[a-z]{1,5}\.[a-z]{1,5}\])$/);
const view = fc.record({
  conditions: fc.array(
    fc.record({ field, op: fc.constantFrom(...OPERATORS), value: fc.string({ unit: 'grapheme', minLength: 1 }) }),
    { maxLength: 5 },
  ),
  order: fc.array(fc.stringMatching(/^-?[a-z]{1,8}$/), { maxLength: 3 }),
  deleted: fc.boolean(),
  row: fc.option(fc.string({ unit: 'grapheme', minLength: 1 })),
  trail: fc.array(fc.record({ entity: fc.stringMatching(/^[a-z_]{1,8}$/), id: fc.string({ minLength: 1 }) }), {
    maxLength: 3,
  }),
  isNew: fc.boolean(),
  isImport: fc.boolean(),
});

describe('a view', () => {
  test('is what its address says', () => {
    fc.assert(
      fc.property(view, (one) => {
        const read = viewOf(parseSearch(stringifySearch(searchOf(one))));
        const sorted = ({ conditions, ...rest }: typeof read) => ({
          ...rest,
          conditions: conditions.map((condition) => JSON.stringify(condition)).toSorted(),
        });
        expect(sorted(read)).toEqual(sorted(one));
      }),
    );
  });

  test('is asked by the parameters of its address, but for the open row', () => {
    const read = viewOf(parseSearch('?population[gte]=1000&name=B%25&orderby=-population&row=x&limit=3&__proto__=1'));
    expect(queryOf(read).toString()).toBe(
      new URLSearchParams([
        ['population[gte]', '1000'],
        ['name[eq]', 'B%'],
        ['__proto__[eq]', '1'],
        ['orderby', '-population'],
      ]).toString(),
    );
    expect(stringifySearch(searchOf({ ...read, row: null }))).toContain('population[gte]=1000');
  });

  test('keeps values as they are written', () => {
    for (const value of ['0012', '1e5', 'true', 'null', '"x"', '{"a":1}', '12345678901234567890', ' '])
      expect(parseSearch(stringifySearch({ a: value }))).toEqual({ a: value });
  });

  test('is a command in which no value ends the text', () => {
    const conditions = [{ field: 'name', op: 'eq', value: "O'Neill; $(id)" }] as const;
    const text = curlOf(
      { conditions, order: [], deleted: false, row: null, trail: [], isNew: false, isImport: false },
      { origin: 'http://127.0.0.1:1', key: 'a:b:c:d', entity: 'city' },
    );
    expect(text.match(/'/g)).toHaveLength(10);
    expect(text).toContain('"Authorization: Bearer $TOKEN"');
  });

  test('turns its order at each click', () => {
    expect(turned([], 'a')).toEqual(['a']);
    expect(turned(['a'], 'a')).toEqual(['-a']);
    expect(turned(['-a'], 'a')).toEqual([]);
    expect(turned(['-a'], 'b')).toEqual(['b']);
  });
});

test('places are read from addresses and from what people type', () => {
  expect(keyOfPath('/at/acme/atlas/dev/main/data/city')).toBe('acme:atlas:dev:main');
  for (const path of ['/operations', '/at/acme/atlas/dev', '/at/acme/atlas/dev/main..', '/at/A/b/c/d'])
    expect(keyOfPath(path)).toBeNull();
  for (const text of ['acme/atlas/dev/main', 'acme:atlas:dev:main', ' Acme / atlas / dev / main '])
    expect(keyOfText(text)).toBe('acme:atlas:dev:main');
  for (const text of ['', 'acme', 'a/b/c', 'a/b/c/d/e', 'a/b/c/../d']) expect(keyOfText(text)).toBeNull();
  expect(homeOf('acme:atlas:dev:main')).toBe('/at/acme/atlas/dev/main/data');
  expect(['prod', 'production', 'prod-eu', 'dev', 'product'].map((env) => isProduction(`a:b:${env}:d`))).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});
