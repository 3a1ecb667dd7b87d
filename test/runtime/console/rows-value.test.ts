/** Values as people type them. */
import { describe, expect, test } from 'vitest';
import { changesBack, differences, formTextOf, isCellEditable, textOf, valueOf } from '#console/data/value.ts';
import { FIELD_TYPES } from '#config/values/field-types.ts';
import { operatorsOf } from '#console/data/operators.ts';
import { fc } from '#test/kit/property.ts';

const of = (type: string, nullable = true) => ({ type, nullable });

describe('a text that is typed', () => {
  test('is the value that it was made of', () => {
    fc.assert(
      fc.property(fc.integer(), (value) => {
        expect(valueOf(textOf(value), of('integer'))).toBe(value);
      }),
    );
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(valueOf(textOf(value), of('number'))).toBe(value === 0 ? 0 : value);
      }),
    );
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(valueOf(formTextOf(value, of('json')), of('json'))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
    for (const value of [true, false]) expect(valueOf(textOf(value), of('boolean'))).toBe(value);
  });

  test('that is none of its type is sent as it is, for the node to refuse', () => {
    for (const [text, type] of [
      ['many', 'integer'],
      ['1e999', 'number'],
      ['99999999999999999999', 'integer'],
      ['perhaps', 'boolean'],
      ['1.50', 'decimal'],
      ['  ', 'number'],
    ] as const)
      expect(valueOf(text, of(type))).toBe(text);
    expect(() => valueOf('{', of('json'))).toThrow(SyntaxError);
  });

  test('that is empty is nothing; an empty text where the field must have one', () => {
    for (const type of Object.keys(FIELD_TYPES)) expect(valueOf('', of(type))).toBeNull();
    expect(valueOf('', of('string', false))).toBe('');
    expect(valueOf('', of('integer', false))).toBeNull();
  });
});

test('each type has a condition, and only short ones are changed in a cell', () => {
  for (const type of Object.keys(FIELD_TYPES)) expect(operatorsOf({ type }).length).toBeGreaterThan(0);
  const field = { name: 'a', required: false, nullable: true, read_only: false };
  const editable = Object.keys(FIELD_TYPES).filter((type) => isCellEditable({ ...field, type }));
  expect(['json', 'file', 'bytes'].filter((type) => editable.includes(type))).toEqual([]);
  expect(isCellEditable({ ...field, type: 'string', read_only: true })).toBe(false);
  expect(isCellEditable({ ...field, type: 'string', mask: 'email' })).toBe(false);
});

test('versions differ in what changed, but for their number', () => {
  expect(
    differences({ version: 1, a: 1, b: null, c: { d: 1 } }, { version: 2, a: 2, b: null, c: { d: 1 }, e: 'x' }),
  ).toEqual([
    { name: 'a', before: 1, after: 2 },
    { name: 'e', before: undefined, after: 'x' },
  ]);
});

test('values of an earlier version are those that can be written: no key of the service, no file, none that a mask hides, none of a field that was not there', () => {
  const field = (name: string, more: object = {}) => ({ name, type: 'string', read_only: false, ...more });
  const fields = [
    field('name'),
    field('same'),
    field('created_at', { read_only: true }),
    field('scan', { type: 'file' }),
    field('email', { mask: 'email' }),
    field('newer'),
  ];
  const now = { name: 'b', same: 1, created_at: '2', scan: 'y', email: 'e***', newer: 'n' };
  const then = { name: null, same: 1, created_at: '1', scan: 'x', email: 'a***' };
  expect(changesBack(fields, now, then)).toEqual({ name: null });
  expect(changesBack(fields, now, now)).toEqual({});
});
