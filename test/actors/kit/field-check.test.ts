import { describe, expect, test } from 'vitest';
import { compareDecimals, decimalText, integerValue } from '#config/values/decimal.ts';
import { compileField, faultsByField, RowCheck, type FieldFault } from '#actors/kit/field-check.ts';
import { FIELD_TYPES, type StoredType } from '#config/values/field-types.ts';
import type { FieldDefinition } from '#config/definitions/product.ts';

const where = 'forms/x.yaml:1:1';

function check(definition: FieldDefinition, value: unknown): { stored: unknown; codes: string[] } {
  const faults: FieldFault[] = [];
  const type = definition.type as StoredType;
  const stored = compileField('f', definition, type, where).check(value, faults);
  return { stored, codes: faults.map((fault) => fault.code) };
}

describe('types', () => {
  test.each([
    ['string', 'x', 'x'],
    ['string', 1, undefined],
    ['integer', 5, 5],
    ['integer', -0, 0],
    ['integer', '12', 12],
    ['integer', '+007', 7],
    ['integer', '9007199254740993', '9007199254740993'],
    ['integer', 2 ** 53, undefined],
    ['integer', 1.5, undefined],
    ['integer', '1.0', undefined],
    ['integer', '-9223372036854775809', undefined],
    ['number', 1.5, 1.5],
    ['number', Infinity, undefined],
    ['number', '1', undefined],
    ['decimal', 1.5, '1.5'],
    ['decimal', '-007.50', '-7.50'],
    ['decimal', '-0.00', '0.00'],
    ['decimal', '1e5', undefined],
    ['decimal', 1e21, undefined],
    ['decimal', '1'.repeat(1001), undefined],
    ['boolean', true, true],
    ['boolean', 1, undefined],
    ['date', '2024-02-29', '2024-02-29'],
    ['date', '2100-02-29', undefined],
    ['date', '2026-13-01', undefined],
    ['datetime', '2026-01-01T00:00:00+02:00', '2025-12-31T22:00:00.000Z'],
    ['datetime', '2026-01-01t00:00:00.123456z', '2026-01-01T00:00:00.123Z'],
    ['datetime', '2026-01-01T00:00:00', undefined],
    ['datetime', '2026-01-01T25:00:00Z', undefined],
    ['datetime', '2026-01-01T24:00:00Z', undefined],
    ['datetime', '2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
    ['datetime', '2016-12-31 23:59:60.5Z', '2017-01-01T00:00:00.500Z'],
    ['datetime', '2017-01-01T01:59:60+02:00', '2017-01-01T00:00:00.000Z'],
    ['datetime', '2016-12-31T22:59:60Z', undefined],
    ['datetime', '2016-12-31T23:58:60Z', undefined],
    ['datetime', '2016-12-31T23:59:61Z', undefined],
    ['datetime', '2026-01-01T00:00:00+24:00', undefined],
    ['datetime', '2026-01-01T00:00:00.1234567891Z', undefined],
    ['datetime', '9999-12-31T23:59:59-01:00', undefined],
    ['ulid', '01j0000000000000000000000a', '01J0000000000000000000000A'],
    ['ulid', '81J0000000000000000000000A', undefined],
    ['uuid', 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'],
    ['uuid', 'a0eebc999c0b4ef8bb6d6bb9bd380a11', undefined],
    ['bytes', 'aGk=', 'aGk='],
    ['bytes', 'aGl=', undefined],
    ['bytes', 'aGk', undefined],
    ['json', { a: [1] }, { a: [1] }],
    ['file', { name: 'x' }, undefined],
  ] as const)('%s %j is stored as %j', (type, value, stored) => {
    expect(check({ type }, value)).toEqual({ stored, codes: stored === undefined ? ['type'] : [] });
  });

  test.each([
    ['integer', '5', 5],
    ['number', '1e3', 1000],
    ['number', '', undefined],
    ['number', '0x10', undefined],
    ['boolean', 'true', true],
    ['boolean', '1', undefined],
  ] as const)('the text of a query: %s %j is %j', (type, text, value) => {
    expect(FIELD_TYPES[type].ofText!(text)).toEqual(value);
  });
});

describe('constraints', () => {
  test.each([
    [{ type: 'integer', min: 1, max: 3 }, 0, ['min']],
    [{ type: 'integer', min: 1, max: 3 }, 4, ['max']],
    [{ type: 'integer', max: 3 }, '9007199254740993', ['max']],
    [{ type: 'decimal', max: 3 }, '3.01', ['max']],
    [{ type: 'string', min_length: 2 }, '😀', ['min_length']],
    [{ type: 'string', max_length: 2 }, '😀😀', []],
    [{ type: 'string', max_length: 2 }, '😀😀a', ['max_length']],
    [{ type: 'string', pattern: '^a+$', max_length: 2 }, 'bbb', ['max_length', 'pattern']],
    [{ type: 'string', pattern: '^(a+)+$' }, `${'a'.repeat(10_000)}!`, ['pattern']],
    [{ type: 'enum', enum: ['x', 'y'] }, 'constructor', ['enum']],
    [{ type: 'string', required: true }, null, ['null']],
    [{ type: 'string', required: true, nullable: true }, null, []],
    [{ type: 'string' }, null, []],
    [{ type: 'string', nullable: false }, null, ['null']],
  ] as const)('%j with %j: %j', (definition, value, codes) => {
    expect(check(definition as FieldDefinition, value).codes).toEqual(codes);
  });

  test.each([
    ['email', 'a.b@example.org', 'a..b@example.org'],
    ['email', 'a+b@ex-ample.org', 'a@b'],
    ['url', 'https://example.org/x', 'ftp://example.org'],
    ['hostname', 'a.example', '-a.example'],
    ['ipv4', '10.0.0.1', '10.0.0.256'],
    ['ipv6', '::1', '10.0.0.1'],
    ['phone', '+33123456789', '0123'],
    ['slug', 'a-b-1', 'a--b'],
    ['time', '23:59', '24:00'],
  ])('format %s takes %s and not %s', (format, good, bad) => {
    expect(check({ type: 'string', format }, good).codes).toEqual([]);
    expect(check({ type: 'string', format }, bad).codes).toEqual(['format']);
  });
});

describe('rows', () => {
  const row = new RowCheck([
    compileField('a', { type: 'string', required: true }, 'string', where),
    compileField('b', { type: 'integer', default: 3 }, 'integer', where),
    compileField('toString', { type: 'string' }, 'string', where),
  ]);

  test('a whole row gets defaults and nulls, inherited names are no values', () => {
    const faults: FieldFault[] = [];
    expect(row.complete({ a: 'x' }, faults)).toEqual(['x', 3, null]);
    expect(faults).toEqual([]);
  });

  test('a partial one only what is given; all faults are listed', () => {
    const faults: FieldFault[] = [];
    expect(row.partial({ b: 4 }, faults)).toEqual([undefined, 4, undefined]);
    row.complete({ b: 'x', toString: 1 }, faults);
    expect(faultsByField(faults)).toEqual({
      a: ['is required'],
      b: ['must be a 64-bit integer, as a string beyond 2^53'],
      toString: ['must be a string'],
    });
    expect(row.strangers({ a: 1, constructor: 2 })).toEqual(['constructor']);
  });
});

test('exact numbers', () => {
  expect(decimalText('+001.10', 100)).toBe('1.10');
  expect(integerValue('-0')).toBe(0);
  expect(compareDecimals('1.10', '1.1')).toBe(0);
  expect(compareDecimals('-2', '-10')).toBe(1);
  expect(compareDecimals('0.1', '0.09')).toBe(1);
});
