import { fc } from '#test/kit/property.ts';
import { describe, expect, test } from 'vitest';
import { bodyText, parseJson } from '#actors/kit/json.ts';

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
