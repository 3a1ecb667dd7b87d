/** What the loader takes as a default is a default that serving takes, and that rows are stored with. */
import { fc } from '#test/kit/property.ts';
import { expect, test } from 'vitest';
import type { FieldDefinition } from '#config/definitions/product.ts';
import { defaultFault } from '#config/definitions/default-value.ts';
import { compileField } from '#actors/kit/field-check.ts';
import { FIELD_TYPES, type StoredType } from '#config/values/field-types.ts';
import { DataTenant, entityOf, productOf } from '#test/kit/data-call.ts';

const TYPES = Object.keys(FIELD_TYPES).filter(
  (type) => type !== 'enum' && type !== 'file' && type !== 'ref',
) as StoredType[];

/** Values at the edges of some type, and of none. */
const EDGES: readonly unknown[] = [
  '9223372036854775807',
  '9223372036854775808',
  '-9223372036854775808',
  '-9223372036854775809',
  '+7',
  '007',
  '1'.repeat(40),
  2 ** 53,
  -(2 ** 53),
  1e21,
  1e-7,
  0.1,
  -0,
  Infinity,
  NaN,
  '1.50',
  '-0',
  `1.${'0'.repeat(200)}`,
  '1e3',
  '.5',
  '5.',
  '2024-02-29',
  '2023-02-29',
  '0000-01-01',
  '9999-12-31T23:59:59Z',
  '9999-12-31T23:59:59-01:00',
  '0000-01-01T00:00:00+01:00',
  '2024-01-01T24:00:00Z',
  '2024-01-01T00:00:60Z',
  '2024-01-01t00:00:00z',
  '2024-01-01 00:00:00Z',
  '2024-01-01T00:00:00.123456789Z',
  'AA==',
  'AB==',
  'A===',
  'AAAA',
  'AAA',
  '',
  '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  '81ARZ3NDEKTSV4RRFFQ69G5FAV',
  '01ARZ3NDEKTSV4RRFFQ69G5Fß',
  '123e4567-e89b-12d3-a456-426614174000',
  '123E4567-E89B-12D3-A456-426614174000',
  true,
  'true',
  null,
  [1, [Infinity]],
  { a: { b: NaN } },
  { a: 1 },
  [],
  '\ud800',
  { a: ['\udc00'] },
  { '\ud83d': 1 },
  '\ud83d\ude00',
];

const value = fc.oneof(
  fc.constantFrom(...EDGES),
  fc.bigInt({ min: -(2n ** 65n), max: 2n ** 65n }).map(String),
  fc.double(),
  fc.date().map((date) => (Number.isNaN(date.getTime()) ? '' : date.toISOString())),
  fc.base64String(),
  fc.ulid(),
  fc.uuid(),
  fc.string(),
  fc.jsonValue(),
);

test('whatever the loader takes compiles', () => {
  fc.assert(
    fc.property(fc.constantFrom(...TYPES), value, (type, given) => {
      const field: FieldDefinition = { type, default: given };
      fc.pre(defaultFault(field) === null);
      expect(() => compileField('f', field, type, 'here')).not.toThrow();
    }),
    { numRuns: 3000 },
  );
});

test('and a row that is created without the field has it', async () => {
  for (const type of TYPES)
    for (const given of EDGES) {
      const field: FieldDefinition = { type, default: given };
      if (defaultFault(field) !== null) continue;
      const tenant = await DataTenant.open(productOf([entityOf('thing', { f: field })]));
      const made = await tenant.send('POST', '/data/rest/thing', {});
      expect(made.status, `${type} ${JSON.stringify(given)}`).toBe(201);
      const { default: stored = null } = compileField('f', field, type, 'here');
      // What a caller sees went through JSON, which writes -0 as 0.
      const shown: unknown = JSON.parse(JSON.stringify(stored));
      expect(made.body.data[0].f, `${type} ${JSON.stringify(given)}`).toEqual(shown);
    }
});

test('half of a surrogate pair, which a request may not hold, is no default either', () => {
  for (const given of ['\ud800', { a: ['\udc00'] }, { '\ud83d': 1 }])
    for (const type of TYPES) expect(defaultFault({ type, default: given })).toContain('surrogate');
  expect(defaultFault({ type: 'text', default: '\ud83d\ude00' })).toBeNull();
});

/** Fields with constraints, and values on both sides of each. */
const CONSTRAINED: readonly (readonly [
  field: FieldDefinition & { readonly type: StoredType },
  given: readonly unknown[],
])[] = [
  [{ type: 'enum', enum: ['a', 'b'] }, ['a', 'c', 1]],
  [{ type: 'string', format: 'email' }, ['a@b.cd', 'a@b', 'a']],
  [{ type: 'string', format: 'date' }, ['2024-02-29', '2023-02-29']],
  [{ type: 'text', format: 'datetime' }, ['2024-01-01T00:00:00Z', '2024-01-01']],
  [{ type: 'string', pattern: '^a' }, ['ab', 'ba']],
  [{ type: 'string', min_length: 2, max_length: 3 }, ['\ud83d\ude00', 'ab', 'abc', 'abcd', '\ud83d\ude00'.repeat(3)]],
  [{ type: 'bytes', max_length: 4 }, ['AAAA', 'AAAAAAAA']],
  [{ type: 'integer', min: 5, max: 7 }, [4, 5, '7', '8', '9223372036854775808']],
  [{ type: 'decimal', min: 0.5 }, ['0.5', 0.4, '0.49']],
  [{ type: 'number', max: 1 }, [1, 1.1]],
  [{ type: 'string', nullable: false }, ['a', null]],
  [{ type: 'string', required: true }, [null]],
  [{ type: 'file' }, ['a', { name: 'a' }]],
];

test.each(CONSTRAINED)(
  'of %o the loader takes as a default what serving takes, no more and no less',
  (field, given) => {
    for (const value of given) {
      const own = { ...field, default: value };
      const compiles = (): unknown => compileField('f', own, field.type, 'here');
      if (defaultFault(own) === null) expect(compiles, JSON.stringify(value)).not.toThrow();
      else expect(compiles, JSON.stringify(value)).toThrow();
    }
  },
);

test('what serving takes of well-formed values, the loader takes', () => {
  fc.assert(
    fc.property(fc.constantFrom(...TYPES), value, (type, given) => {
      const field: FieldDefinition = { type, default: given };
      const fault = defaultFault(field);
      fc.pre(fault !== null && !fault.includes('surrogate'));
      expect(() => compileField('f', field, type, 'here')).toThrow();
    }),
    { numRuns: 3000 },
  );
});
