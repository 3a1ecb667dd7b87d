/** Values of a column as JSON Schema 2020-12. */
import type { FieldDefinition } from '#config/definitions/product.ts';
import type { StoredType } from '#actors/engine/schema/stored.ts';
import type { Column, EntityModel } from '#actors/engine/rows/model.ts';

type Json = Readonly<Record<string, unknown>>;

const string: Json = { type: 'string' };
const DIGITS = '^[+-]?[0-9]+$';

/** What every value of a type looks like, whoever wrote it. */
const TYPES: Readonly<Record<StoredType, Json>> = {
  string,
  text: string,
  enum: string,
  integer: {
    anyOf: [{ type: 'integer' }, { type: 'string', pattern: DIGITS }],
    description: 'A 64-bit integer, as a string beyond 2^53.',
  },
  number: { type: 'number' },
  decimal: { type: 'string', pattern: '^[+-]?[0-9]+([.][0-9]+)?$' },
  boolean: { type: 'boolean' },
  date: { type: 'string', format: 'date' },
  datetime: { type: 'string', format: 'date-time' },
  ulid: { type: 'string', pattern: '^[0-7][0-9A-HJKMNP-TV-Z]{25}$' },
  uuid: { type: 'string', format: 'uuid' },
  json: { description: 'Any JSON.' },
  bytes: { type: 'string', contentEncoding: 'base64' },
  file: {
    type: 'object',
    properties: { name: string, content_type: string, size: { type: 'integer' }, sha256: string },
  },
};

/** Types that take more than they give back: a ULID in either case, a decimal that a number can hold. */
const WRITTEN: Readonly<Partial<Record<StoredType, Json>>> = {
  ulid: string,
  decimal: { anyOf: [{ type: 'number' }, TYPES.decimal] },
};

/** JSON Schema's `format` of ours, where it has one that means the same. */
const FORMATS: Readonly<Record<string, string>> = {
  email: 'email',
  uri: 'uri',
  hostname: 'hostname',
  ipv4: 'ipv4',
  ipv6: 'ipv6',
  uuid: 'uuid',
  date: 'date',
};

/** A value as it is read. Rows may be older than a field or its constraints: all but the key may be null, and only the type binds. */
export function readSchema(model: EntityModel, column: Column): Json {
  const { type, name } = column;
  if (column.mask !== null) return nullable(string);
  if (column === model.key || name === 'version') return TYPES[type];
  return nullable(TYPES[type]);
}

/** A value as it is written: with the constraints of the field. */
export function writeSchema(model: EntityModel, column: Column): Json {
  const definition = model.definition.fields[column.name];
  const base = WRITTEN[column.type] ?? TYPES[column.type];
  const schema = definition === undefined ? base : { ...base, ...constraints(definition, column.type) };
  return column.nullable ? nullable(schema) : schema;
}

function constraints(definition: FieldDefinition, type: StoredType): Json {
  const { min, max, min_length, max_length, pattern, format } = definition;
  const bounds = type === 'number' ? { minimum: min, maximum: max } : {};
  const out = {
    enum: definition.enum,
    ...bounds,
    ...(type === 'bytes' ? {} : { minLength: min_length, maxLength: max_length }),
    pattern,
    format: format === undefined ? undefined : FORMATS[format],
    default: definition.default,
  };
  return Object.fromEntries(Object.entries(out).filter(([, value]) => value !== undefined));
}

function nullable(schema: Json): Json {
  if (schema['type'] === undefined && schema['anyOf'] === undefined) return schema;
  const { description, default: fallback, ...rest } = schema;
  return {
    anyOf: [rest, { type: 'null' }],
    ...(description !== undefined && { description }),
    ...(fallback !== undefined && { default: fallback }),
  };
}
