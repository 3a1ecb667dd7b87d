/** The jq of a response: what it may hold, and how the rest is refused when the product is loaded. Source: docs/contract/bff.md §3.4. */
import { describe, expect, test } from 'vitest';
import { arrangingOnly } from '#actors/bff/response/arranging.ts';

const compile = (program: string) => arrangingOnly({ language: 'jq', program, where: 'bff/a.yaml:9:3' }, ['city']);
const input = {
  calls: {
    city: {
      data: [
        { name: 'Bern', tags: ['a', 'b'] },
        { name: 'Biel', tags: [] },
      ],
    },
  },
};
const results = (program: string) => compile(program).run(input);

describe('arrangements', () => {
  test.each([
    ['.calls.city.data[0].name', ['Bern']],
    [
      '{names: [.calls.city.data[].name], "of \\(.calls.city.data[0].name)": -1}',
      [{ names: ['Bern', 'Biel'], 'of Bern': -1 }],
    ],
    [
      '[.calls.city.data[] | {name, first: .tags[0]}]',
      [
        [
          { name: 'Bern', first: 'a' },
          { name: 'Biel', first: null },
        ],
      ],
    ],
    ['.calls.city.data[0:1][0].tags', [['a', 'b']]],
    ['.calls.city.data[0].name?, .gone?', ['Bern', null]],
    ['.calls["city"].data | .[1].name', ['Biel']],
  ])('%s', (program, expected) => {
    expect(results(program)).toEqual({ kind: 'results', results: expected });
  });
});

describe('what decides or derives is refused with its place', () => {
  test.each([
    ['if .a then 1 else 2 end', 'if:'],
    ['.a // 1', '//:'],
    ['.calls.city.data | map(.name)', 'map:'],
    ['[.calls.city.data[] | select(.name == "x")]', 'select:'],
    ['.a == 1', '==:'],
    ['.a + 1', '+:'],
    ['-(.a)', 'arithmetic:'],
    ['reduce .a[] as $x (0; . + $x)', 'reduce:'],
    ['def f: 1; f', 'def:'],
    ['.a as $x | $x', 'as:'],
    ['.a = 1', 'an assignment:'],
    ['.a |= 1', 'an assignment:'],
    ['.a and .b', 'and:'],
    ['try .a catch 1', 'try:'],
    ['..', '..:'],
    ['@base64', 'a @format:'],
    ['@text "x\\(.a)"', 'a @format:'],
    ['$ENV', ''],
    ['env', 'env:'],
    ['input', ''],
    ['{a: (.b | length)}', 'length:'],
    ['[limit(3; .a[])]', 'limit:'],
    ['"\\(.a | tostring)"', 'tostring:'],
    ['.a[.b + 1]', '+:'],
    ['.calls.ctiy', 'there is no call "ctiy": did you mean "city"?'],
    ['.calls.city.data[', ''],
    ['', ''],
  ])('%s', (program, said) => {
    expect(() => compile(program)).toThrow(/^bff\/a\.yaml:9:3: /);
    expect(() => compile(program)).toThrow(said);
  });
});
