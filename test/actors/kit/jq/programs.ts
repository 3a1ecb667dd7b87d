/** Arbitrary jq programs and inputs: shapes that meet one another often, so that most programs do something. */
import { fc } from '#test/kit/property.ts';
import type { Json } from '#actors/kit/jq/value.ts';

const KEYS = ['a', 'b', 'name', 'price', 'tags'] as const;
const key = fc.constantFrom(...KEYS);

const scalar = fc.oneof(
  fc.constantFrom<Json>(null, true, false, 0, 1, -1, 2, 10, 1.5, 0.25, 100, ''),
  fc.constantFrom<Json>('a', 'b', 'ab', 'a,b', 'x y', 'é', '😀', 'Zürich', '12', 'a"b', '<&>'),
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.string({
    unit: fc.constantFrom(...' \t\u0000\u0085\u00a0\u1680\u2003\u2028\u3000\ufeff\'"<>&\\\u007fa'.split('')),
    maxLength: 6,
  }),
);

const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

const row = fc.record({
  name: fc.constantFrom('one', 'two', 'three'),
  price: fc.constantFrom(1, 20, 30.5),
  tags: fc.array(scalar, { maxLength: 3 }),
});

/** Any value, or an envelope of rows. */
export const inputs: fc.Arbitrary<Json> = fc.oneof(
  value,
  fc.array(row, { maxLength: 4 }).map((data) => ({ data, count: data.length })),
);

const PLAIN = (
  'ltrim? rtrim? trim? @html @sh? @csv? @tsv? ltrim? rtrim? trim? @html "<\\(.)>" @sh?"\\(.)" [.[]?|tostring|trim] sort unique group_by(.) ascii_downcase? explode?|implode? length ' +
  '. .a .b .name .price .[] .[]? .[0] .[-1] .[1:] .[:2] .. .a.b .a[0] .data .data[] .count ."a"? .["b"]? not length keys keys_unsorted add any all ' +
  'flatten type tostring tojson tonumber? floor sqrt sort min max unique reverse to_entries from_entries first last empty ' +
  'ascii_downcase? ascii_upcase? explode? implode? paths trim? @json @text @csv? @tsv? @html @uri @sh? @base64 error values nulls ' +
  'numbers strings arrays objects iterables scalars booleans recurse tojson|fromjson transpose? combinations? abs? toboolean? utf8bytelength? ' +
  'round? ceil? trunc? fabs? infinite isnan? env ltrimstr("a")? rtrimstr("b")? startswith("a")? endswith("b")? split(",")? join("-")? has("a")? has(0)? ' +
  'contains("a")? index("a")? indices(1)? test("a")? [scan("[a-z]")]? gsub("a";"z")? sub("(?<x>b)";"<\\(.x)>")? [match("a";"g").offset]? ' +
  'range(3) range(1;4) range(5;0;-2) del(.a) del(.[0])? del(.a,.b)? getpath(["a","b"])? pick(.a)? splits(",")? limit(2;.[]?) first(.[]?) ' +
  'isempty(.[]?) $__loc__ [paths] [..] tojson nth(1)? flatten(1)? with_entries(.value|=1)? map_values(empty)? walk(.) IN(1,2) inside([1,2])? ' +
  '[limit(3;repeat(.))] [limit(4;repeat(.[]?,1))] last(.[]?) nth(1;.[]?) skip(1;.[]?) trimstr("a")? bsearch(1)? bsearch("a")? gmtime? todate? ' +
  'gmtime|mktime? strftime("%Y-%j")? pow(.;2)? log2? frexp? logb? significand? ldexp(.;3)? nearbyint? rint? tostream [tostream] fromstream(tostream) ' +
  '[1|truncate_stream([[0],1],[[1,0],2],[[1,0]],[[1]])] combinations(2)? debug("x") stderr [inputs] @urid? [splits(",")]? [splits("a+";null)]? ' +
  'gsub("(?<x>[a-z])";"<\\(.x)>","-")? sub("a";"b","c")? capture("(?<l>[a-z]+)")? match(["A","gi"]).offset? [scan("(?:a|b)+")]? have_decnum'
).split(' ');

const LITERALS = [
  'null',
  'true',
  'false',
  '0',
  '1',
  '2',
  '-1',
  '1.5',
  '10',
  '"a"',
  '"b"',
  '"a,b"',
  '[]',
  '{}',
  '[1,2]',
  '{"a":1}',
  '[[1],[2]]',
  '1.50',
  '"é"',
];
const OPERATORS = ['+', '-', '*', '/', '%', '==', '!=', '<', '<=', '>', '>=', 'and', 'or', '//', ',', '|'];
const UPDATES = ['=', '|=', '+=', '-=', '*=', '/=', '%=', '//='];
const PATHS = [
  '.a',
  '.b',
  '.[]?',
  '.[0]?',
  '.a.b',
  '..',
  '.name',
  '(.a,.b)',
  '.a[]?',
  'first(.[]?)',
  '(.[]?|select(. == 1))',
  'getpath(["a"])',
  '.data[]?.price',
  '(.a // .b)',
  'paths',
  'limit(1;.[]?)',
  '.[1:]',
];

export const { program: programs } = fc.letrec<{ program: string }>((tie) => {
  const p = tie('program');
  const two = (join: (a: string, b: string) => string) => fc.tuple(p, p).map(([a, b]) => join(a, b));
  const three = (join: (a: string, b: string, c: string) => string) =>
    fc.tuple(p, p, p).map(([a, b, c]) => join(a, b, c));
  return {
    program: fc.oneof(
      { maxDepth: 4, depthSize: 'small', withCrossShrink: true },
      fc.constantFrom(...PLAIN),
      fc.constantFrom(...LITERALS),
      fc.tuple(p, fc.constantFrom(...OPERATORS), p).map(([a, op, b]) => `(${a} ${op} ${b})`),
      fc.tuple(fc.constantFrom(...PATHS), fc.constantFrom(...UPDATES), p).map(([a, op, b]) => `(${a} ${op} ${b})`),
      two((a, b) => `${a} | ${b}`),
      two((a, b) => `(${a}) as $x | ${b} | [., $x]`),
      two((a, b) => `(${a}) as [$x, {a: $y}] | [$x, $y, (${b})]`),
      two((a, b) => `reduce (${a}) as $x (0; ${b})`),
      two((a, b) => `reduce (${a}) as $x (null; . + $x | ${b})`),
      two((a, b) => `[limit(5; foreach (${a}) as $x (0; ${b}; [., $x]))]`),
      three((a, b, c) => `if ${a} then ${b} else ${c} end`),
      two((a, b) => `if ${a} then ${b} end`),
      two((a, b) => `try (${a}) catch (${b})`),
      p.map((a) => `(${a})?`),
      p.map((a) => `[${a}]`),
      p.map((a) => `-(${a})`),
      two((a, b) => `{a: (${a}), b: (${b})}`),
      two((a, b) => `{(${a} | tostring): (${b})}`),
      two((a, b) => `"<\\(${a})-\\(${b})>"`),
      p.map((a) => `@json "v=\\(${a})"`),
      two((a, b) => `def f: ${a}; f | ${b}`),
      two((a, b) => `def f(g): [g] | ${a}; f(${b})`),
      two((a, b) => `def f($g): $g | ${a}; f(${b})`),
      two((a, b) => `label $out | (${a}) | if ${b} then ., break $out else . end`),
      p.map((a) => `map(${a})`),
      p.map((a) => `map(select(${a}))`),
      p.map((a) => `map_values(${a})`),
      p.map((a) => `with_entries(.value |= (${a}))`),
      p.map((a) => `sort_by(${a})`),
      p.map((a) => `group_by(${a})`),
      p.map((a) => `unique_by(${a})`),
      p.map((a) => `[min_by(${a}), max_by(${a})]`),
      p.map((a) => `any(${a})`),
      p.map((a) => `all(${a})`),
      p.map((a) => `first(${a})`),
      p.map((a) => `[limit(2; ${a})]`),
      p.map((a) => `isempty(${a})`),
      p.map((a) => `add(${a})`),
      p.map((a) => `walk(if type == "number" then (${a}) else . end)`),
      p.map((a) => `[.[]? | ${a}]`),
      p.map((a) => `error(${a})`),
      fc.constantFrom(...PATHS).map((a) => `[path(${a})]`),
      fc.constantFrom(...PATHS).map((a) => `del(${a})`),
    ),
  };
});

const constant = fc.constantFrom(
  'true',
  'null',
  '1',
  '"a"',
  '-1',
  '1 + 1',
  '"a" + "b"',
  '[]',
  '{}',
  '[1]',
  '1 == 1',
  '"a", 1',
  '1 | 2',
  'true and false',
  '.a',
  '"\\(1)"',
  '$__loc__',
  'not',
  'now',
  'empty',
);

/** Programs with something between brackets where a key stands: jq refuses some constants there when it compiles. */
export const keyed: fc.Arbitrary<string> = fc
  .tuple(
    constant,
    fc.constantFrom(
      (k: string) => `. as {(${k}): $x} | $x`,
      (k: string) => `. as [{a: $y, (${k}): [$x]}] | $x`,
      (k: string) => `{(${k}): 1}`,
      (k: string) => `{a: 1, (${k}): 2} | keys`,
      (k: string) => `reduce .[] as {(${k}): $x} (0; . + 1)`,
      (k: string) => `.[${k}]`,
      (k: string) => `.a[${k}]?`,
      (k: string) => `.[${k}:]`,
      (k: string) => `"\\(${k})"`,
      (k: string) => `@json "\\(${k})"`,
      (k: string) => `-(${k})`,
      (k: string) => `(${k}) / 0`,
      (k: string) => `(${k}) % 0`,
      (k: string) => `limit(${k}; .)`,
      (k: string) => `label $a | (${k}) | break $a`,
      (k: string) => `def f(x; $y): x + $y; f(${k}; ${k})`,
    ),
  )
  .map(([inner, around]) => around(inner));
