import { fc } from '#test/kit/property.ts';
import { describe, expect, test } from 'vitest';
import { bodyText, parseExactJson, parseJson } from '#actors/kit/json.ts';
import { LongNumber } from '#config/values/long-number.ts';
import { limits } from '#config/limits.ts';

describe('strict JSON', () => {
  test('takes every value that JSON.parse takes and gives the same', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const text = JSON.stringify(value);
        if (text.includes('__proto__')) return;
        expect(parseJson(text)).toEqual({ ok: true, value: JSON.parse(text) });
      }),
    );
  });

  test.each([
    ['a duplicate key', '{"a":1,"a":2}'],
    ['a duplicate key spelled with an escape', '{"a":1,"\\u0061":2}'],
    ['a duplicate key deep inside', '[{"x":{"b":1,"b":1}}]'],
    ['__proto__', '{"__proto__":{}}'],
    ['__proto__ spelled with an escape', '{"__proto\\u005f_":{}}'],
    ['a lone surrogate', '"\\ud800"'],
    ['a lone surrogate in a key', '{"\\udc00":1}'],
    ['a depth bomb', '['.repeat(10_000)],
    ['a closed depth bomb', `${'['.repeat(100)}${']'.repeat(100)}`],
    ['NaN', 'NaN'],
    ['a trailing comma', '[1,]'],
    ['a comment', '/**/1'],
    ['single quotes', "{'a':1}"],
    ['a leading plus', '+1'],
    ['a leading zero', '01'],
    ['nothing', ''],
    ['two values', '1 2'],
    ['an unclosed string', '"a'],
    ['a raw newline in a string', '"a\nb"'],
  ])('refuses %s', (_name, text) => {
    expect(parseJson(text).ok).toBe(false);
  });

  test('so many members, items and objects are taken and no more, before anything is made of them', () => {
    const most = limits.door.jsonStepsMax;
    const items = (count: number): string => `[${Array.from({ length: count }, () => '1').join(',')}]`;
    expect(parseJson(items(most)).ok).toBe(true);
    const refused = parseJson(items(most + 1));
    expect(refused).toMatchObject({ ok: false, fault: expect.stringContaining(`more than ${most}`) });
    const objects = `[${Array.from({ length: 120_000 }, (_, i) => `{"k${i}":1}`).join(',')}]`;
    expect(parseJson(objects)).toMatchObject({ ok: false, fault: expect.stringContaining('an object counts') });
    expect(parseJson(`"${',:{['.repeat(most)}"`).ok).toBe(true);
    const rows = `[${Array.from({ length: 10_000 }, () => `{${Array.from({ length: 20 }, (_, i) => `"f${i}":1`).join(',')}}`).join(',')}]`;
    expect(parseJson(rows).ok).toBe(true);
  });

  test('colons and brackets inside strings are text', () => {
    expect(parseJson('{"a:b":"[{:\\"}"}')).toEqual({ ok: true, value: { 'a:b': '[{:"}' } });
  });
});

describe('body text', () => {
  test('latin1 carriage of UTF-8 bytes is lossless', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const bytes = Buffer.from(text, 'utf8');
        expect(bodyText(bytes.toString('latin1'))).toBe(text);
        expect(bodyText(bytes)).toBe(text);
      }),
    );
  });

  test('invalid UTF-8 is null', () => {
    expect(bodyText('\xff\xfe')).toBeNull();
    expect(bodyText(Buffer.from([0xc3]))).toBeNull();
  });
});

/** The number that a text spells, as a whole number and a power of ten: the same pair for each spelling of it. */
function exactly(spelled: string): { whole: bigint; power: number } {
  const [mantissa, exponent = '0'] = spelled.split('e') as [string, string?];
  const [before, after = ''] = mantissa.split('.') as [string, string?];
  let whole = BigInt(before + after);
  let power = Number(exponent) - after.length;
  if (whole === 0n) return { whole, power: 0 };
  for (; whole % 10n === 0n; power++) whole /= 10n;
  return { whole, power };
}

describe('exact JSON', () => {
  const digits = fc.tuple(fc.bigInt(), fc.option(fc.nat({ max: 25 })), fc.option(fc.integer({ min: -30, max: 30 })));
  const spelled = digits.map(([whole, places, power]) => {
    const text = String(whole);
    const point = places === null ? '' : `.${'0123456789'.repeat(3).slice(0, places + 1)}`;
    return `${text}${point}${power === null ? '' : `e${power}`}`;
  });

  test('a whole number of many zeros stays a double, also with a point', () => {
    expect(parseExactJson('[100000000000000000000000000.0]')).toEqual({ ok: true, value: [1e26] });
  });

  test('gives what strict JSON gives; numbers that a double would lose know their digits', () => {
    fc.assert(
      fc.property(fc.array(spelled, { maxLength: 5 }), fc.jsonValue({ maxDepth: 3 }), (numbers, value) => {
        const text = `{"x":[${numbers.join(' , ')}],"y":${JSON.stringify(value)}}`;
        fc.pre(!text.includes('__proto__'));
        const exact = parseExactJson(text);
        const plain = parseJson(text);
        expect(JSON.stringify(exact)).toBe(JSON.stringify(plain));
        const { x } = (exact as { value: { x: unknown[] } }).value;
        x.forEach((number, i) => {
          if (number instanceof LongNumber) expect(number.digits).toBe(numbers[i]);
          else expect(exactly(numbers[i]!)).toEqual(exactly(String(number)));
        });
      }),
    );
  });

  test.each([
    '{12345678901234567890:1}',
    '{12345678901234567890 :1}',
    '[12345678901234567890-1]',
    '[-12345678901234567890.]',
    '[012345678901234567890]',
    '[+12345678901234567890]',
    '[.12345678901234567890]',
    '[1 12345678901234567890]',
    'tru12345678901234567890',
    '"a"12345678901234567890',
    '[12345678901234567890e]',
  ])('%s is no JSON, and the fault shows the text as it was', (text) => {
    expect(parseExactJson(text)).toEqual(parseJson(text));
    expect(parseExactJson(text).ok).toBe(false);
  });

  test('what looks like a mark within a text stays a text', () => {
    const text = '["\\u0001aaaaaaaa12345678901234567890", 12345678901234567890]';
    const parsed = parseExactJson(text) as { value: unknown[] };
    expect(typeof parsed.value[0]).toBe('string');
    expect((parsed.value[1] as LongNumber).digits).toBe('12345678901234567890');
  });
});
