import { fc } from '#test/kit/property.ts';
import { describe, expect, test } from 'vitest';
import type { FormField } from '#config/definitions/form.ts';
import { FORM_FORMATS } from '#config/definitions/format.ts';
import { compileForm, FormFault } from '#actors/intake/compile-form.ts';
import type { Input } from '#actors/intake/input.ts';
import { parseUrlencoded } from '#actors/intake/parse-urlencoded.ts';
import { idempotencyKey, RecentKeys } from '#actors/intake/idempotency.ts';
import { SubmissionIds } from '#actors/intake/submission-ids.ts';
import { lineOf, parseLine } from '#actors/intake/submission.ts';
import { IdSource } from '#actors/kit/id.ts';
import { SimulatedClock } from '#test/kit/simulated-clock.ts';

const input = (values: Record<string, unknown>, asText = false): Input => ({ values, asText, repeated: new Set() });

/** The reasons against one value, or the value that would be stored. */
function judge(field: FormField, value: unknown, asText = false): unknown {
  const form = compileForm({ id: 'f', where: 'forms/f.yaml:1:1', fields: { x: field } });
  const checked = form.check(input({ x: value }, asText));
  return checked.ok ? checked.fields['x'] : checked.faults['x'];
}

describe('values by type', () => {
  test.each<[FormField, unknown]>([
    [{ type: 'string' }, 'any text\nof two lines'],
    [{ type: 'string', min_length: 2, max_length: 2 }, '🐝🐝'],
    [{ type: 'string', pattern: '^[a-z]+$' }, 'abc'],
    [{ type: 'string', pattern: 'b' }, 'abc'],
    [{ type: 'string', format: 'uuid' }, '123e4567-e89b-12d3-a456-426614174000'],
    [{ type: 'integer' }, 0],
    [{ type: 'integer', min: -1, max: 1 }, -1],
    [{ type: 'number', min: 0 }, 0.5],
    [{ type: 'boolean', required: true }, false],
    [{ type: 'date' }, '2024-02-29'],
    [{ type: 'date' }, '2000-02-29'],
    [{ type: 'email' }, "o'brien+tag@mail.example.org"],
    [{ type: 'url' }, 'https://example.org/path?q=1'],
    [{ type: 'enum', enum: ['a', 'b'] }, 'b'],
  ])('%j takes %j', (field, value) => expect(judge(field, value)).toBe(value));

  test.each<[FormField, unknown, string[]]>([
    [{ type: 'string' }, 7, ['must be a string']],
    [{ type: 'string' }, ['a'], ['must be a string']],
    [
      { type: 'string', min_length: 3, pattern: '^[a-z]+$' },
      'A',
      ['must have at least 3 characters', 'must match the pattern'],
    ],
    [{ type: 'string', max_length: 1 }, '🐝🐝', ['must have at most 1 characters']],
    [{ type: 'string', format: 'uuid' }, 'x', ['must be a UUID']],
    [{ type: 'integer' }, 1.5, ['must be an integer']],
    [{ type: 'integer' }, '1', ['must be an integer']],
    [{ type: 'integer' }, 2 ** 53, ['must be an integer']],
    [{ type: 'integer', max: 3 }, 4, ['must be at most 3']],
    [{ type: 'number' }, Infinity, ['must be a number']],
    [{ type: 'number' }, true, ['must be a number']],
    [{ type: 'boolean' }, 'true', ['must be true or false']],
    [{ type: 'date' }, '2026-02-29', ['must be a date (YYYY-MM-DD)']],
    [{ type: 'date' }, '1900-02-29', ['must be a date (YYYY-MM-DD)']],
    [{ type: 'date' }, '2026-13-01', ['must be a date (YYYY-MM-DD)']],
    [{ type: 'date' }, '2026-04-00', ['must be a date (YYYY-MM-DD)']],
    [{ type: 'date' }, '2026-2-9', ['must be a date (YYYY-MM-DD)']],
    [{ type: 'email' }, 'a@b@c', ['must be an e-mail address']],
    [{ type: 'email' }, 'a@b.org\r\nBcc: x@y.org', ['must be an e-mail address']],
    [{ type: 'email' }, `${'a'.repeat(65)}@b.org`, ['must be an e-mail address']],
    [{ type: 'url' }, 'javascript:alert(1)', ['must be an http or https URL']],
    [{ type: 'url' }, 'https://a b', ['must be an http or https URL']],
    [{ type: 'url' }, 'https://[', ['must be an http or https URL']],
    [{ type: 'enum', enum: ['a', 'b'] }, 'c', ['must be one of: a, b']],
    [{ type: 'string', required: true }, '', ['is required']],
    [{ type: 'string', required: true }, null, ['is required']],
  ])('%j refuses %j', (field, value, reasons) => expect(judge(field, value)).toEqual(reasons));

  test.each<[FormField, string, unknown]>([
    [{ type: 'integer' }, '42', 42],
    [{ type: 'number' }, '-1.5e2', -150],
    [{ type: 'boolean' }, 'on', true],
    [{ type: 'boolean' }, '0', false],
    [{ type: 'integer' }, '0x10', ['must be an integer']],
    [{ type: 'integer' }, ' 1', ['must be an integer']],
    [{ type: 'boolean' }, 'perhaps', ['must be true or false']],
    [{ type: 'integer' }, '', undefined],
  ])('%j reads the text %j as %j', (field, text, expected) => expect(judge(field, text, true)).toEqual(expected));

  test.each(FORM_FORMATS)('the declared format %s is known here', (format) => {
    expect(judge({ type: 'string', format }, '?')).toHaveLength(1);
  });

  test('a hostile text costs a pattern no more than its length', () => {
    expect(judge({ type: 'string', pattern: '^(a+)+$' }, `${'a'.repeat(50_000)}!`)).toEqual(['must match the pattern']);
    expect(judge({ type: 'email' }, `${'a@'.repeat(30_000)}!`)).toEqual(['must be an e-mail address']);
    expect(judge({ type: 'url' }, `https://${'a'.repeat(60_000)}`)).toEqual(['must be an http or https URL']);
  });
});

describe('a form that cannot be served', () => {
  test.each<[FormField, RegExp]>([
    [{ type: 'string', pattern: '(' }, /forms\/f\.yaml:3:1: form f, field x: .*missing closing/],
    [{ type: 'string', format: 'martian' }, /field x: unknown format martian/],
  ])('%j', (field: FormField, message: RegExp) => {
    const compile = () => compileForm({ id: 'f', where: 'forms/f.yaml:3:1', fields: { x: field } });
    expect(compile).toThrow(message);
    expect(compile).toThrow(FormFault);
  });
});

describe('any JSON object', () => {
  const fields: Record<string, FormField> = {
    a: { type: 'string', max_length: 3 },
    b: { type: 'integer', required: true },
    constructor: { type: 'boolean' } as FormField,
  };
  const form = compileForm({ id: 'f', where: '', honeypot: 'trap', fields });

  test('is either stored as declared or refused with a reason per faulty field, never a throw', () => {
    const value = fc.oneof(fc.jsonValue(), fc.string(), fc.integer(), fc.boolean());
    const name = fc.oneof(
      fc.constantFrom('a', 'b', 'constructor', 'trap', '_idempotency_key', 'toString'),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.dictionary(name, value), (values) => {
        const checked = form.check(input(values));
        if (checked.ok) {
          expect(Object.keys(checked.fields).every((key) => Object.hasOwn(fields, key))).toBe(true);
          expect(Number.isSafeInteger(checked.fields['b'])).toBe(true);
        } else {
          for (const reasons of Object.values(checked.faults)) expect(reasons.length).toBeGreaterThan(0);
          expect(Object.keys(checked.faults).length).toBeGreaterThan(0);
        }
      }),
    );
  });

  test('a field that is called as a method of objects is absent when it is not sent', () => {
    expect(form.check(input({ b: 1 }))).toEqual({ ok: true, fields: { b: 1 } });
  });
});

describe('urlencoded bodies', () => {
  test('what URLSearchParams writes is read back', () => {
    const text = fc.string({ unit: 'binary' }).filter((s) => s.isWellFormed());
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text), { maxLength: 20 }), (pairs) => {
        expect(parseUrlencoded(new URLSearchParams(pairs).toString(), 100)).toEqual(pairs);
      }),
    );
  });

  test('raw UTF-8 bytes, empty pairs and a name alone', () => {
    expect(parseUrlencoded(Buffer.from('a=ü&&b&c==').toString('latin1'), 10)).toEqual([
      ['a', 'ü'],
      ['b', ''],
      ['c', '='],
    ]);
    expect(parseUrlencoded('', 10)).toEqual([]);
  });

  test('faults', () => {
    for (const text of ['%', '%f', '%zz', '%ff', '\xff', '%ed%a0%80'])
      expect(parseUrlencoded(text, 10)).toMatch(/UTF-8/);
    expect(parseUrlencoded('a&'.repeat(11), 10)).toBe('more than 10 fields');
    expect(parseUrlencoded('a&'.repeat(10), 10)).toHaveLength(10);
  });
});

describe('ids and keys', () => {
  test('ids rise from the last one seen, through a carry', () => {
    const ids = new SubmissionIds(new IdSource(new SimulatedClock(0)));
    ids.seen('7A0000000000000000000000ZZ');
    expect([ids.next(), ids.next()]).toEqual(['7A000000000000000000000100', '7A000000000000000000000101']);
  });

  test('an empty header or field is no key', () => {
    expect(idempotencyKey(undefined, input({}))).toBe('');
    expect(idempotencyKey('', input({ _idempotency_key: '' }))).toBe('');
    expect(idempotencyKey('a', input({ _idempotency_key: 'a' }))).toBe('a');
  });

  test('remembered keys are bounded, the oldest goes first, the stale ones too', () => {
    const keys = new RecentKeys(2);
    const use = (id: string, at: number) => ({ id, digest: '', received_at: new Date(at).toISOString() });
    for (const [i, id] of ['a', 'b', 'c'].entries()) keys.add('f', id, use(id, i), i);
    expect(['a', 'b', 'c'].map((id) => keys.get('f', id)?.id)).toEqual([undefined, 'b', 'c']);
    keys.add('f', 'd', use('d', 2e8), 2e8);
    expect(['b', 'c', 'd'].map((id) => keys.get('f', id)?.id)).toEqual([undefined, undefined, 'd']);
  });

  test('a line says all of a submission', () => {
    const submission = { id: '1', form: 'f', received_at: 't', fields: { b: 1, a: 'x\n"' } };
    for (const idempotency_key of ['', 'k'])
      expect(parseLine(lineOf({ ...submission, idempotency_key }))).toEqual({ ...submission, idempotency_key });
    expect(lineOf({ ...submission, idempotency_key: '' })).not.toContain('idempotency_key');
  });
});

describe('patterns', () => {
  test('a text for which the check has not the fuel is refused with a reason, and not looked through', () => {
    const field: FormField = { type: 'string', pattern: '(a{0,60}){0,16}[bc]' };
    expect(judge(field, 'a'.repeat(60_000), true)).toEqual(['is too long to be held against the pattern']);
    expect(judge(field, 'aab', true)).toBe('aab');
    expect(judge({ type: 'string', pattern: '^[a-z]+$' }, 'a'.repeat(60_000), true)).toHaveLength(60_000);
  });

  test('one that is too large is refused with the form', () => {
    const compile = () => judge({ type: 'string', pattern: 'a{0,1000}'.repeat(20) }, 'a');
    expect(compile).toThrow(FormFault);
    expect(compile).toThrow(/the pattern is too large/);
  });
});
