import { expect, test } from 'vitest';
import { literal, objectOf, typeOfSchema, TypeNames, unionOf } from '#runtime/client-types/render.ts';

test('names of interfaces are kept apart', () => {
  const names = new TypeNames();
  expect(['order_line', 'orderline', 'order_line', 'schema', '_x1'].map((name) => names.of(name))).toEqual([
    'OrderLine',
    'Orderline',
    'OrderLine2',
    'Schema2',
    'X1',
  ]);
});

test('texts are quoted, and so are names that are no identifiers', () => {
  expect(literal(`it's a \\`)).toBe(String.raw`'it\'s a \\'`);
  const members = [
    { name: 'a/b', type: 'string' },
    { name: 'c', type: 'number', optional: true },
  ];
  expect(objectOf(members)).toBe("{\n  readonly 'a/b': string;\n  readonly c?: number;\n}");
  expect(objectOf([])).toBe('{}');
});

test('types of schemas', () => {
  expect(typeOfSchema({})).toBe('unknown');
  expect(typeOfSchema({ type: 'array' })).toBe('unknown');
  expect(typeOfSchema({ anyOf: [{ type: 'integer' }, { type: 'number' }, { type: 'string' }] })).toBe(
    'number | string',
  );
  expect(typeOfSchema({ enum: ['a', 'b'] })).toBe("'a' | 'b'");
  expect(unionOf(['string', 'unknown', 'null'])).toBe('unknown');
});
