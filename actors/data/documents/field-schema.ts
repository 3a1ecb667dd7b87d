/** Values of a column as JSON Schema 2020-12. */
import type { FieldDefinition } from '#config/definitions/product.ts';
import { FIELD_TYPES } from '#config/values/field-types.ts';
import type { Column, EntityModel } from '#actors/engine/rows/model.ts';

type Json = Readonly<Record<string, unknown>>;

const string: Json = { type: 'string' };

/** Our formats to JSON Schema's `format`, where it has one that means the same. */
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
  if (column === model.key || name === 'version') return FIELD_TYPES[type].schema;
  return nullable(FIELD_TYPES[type].schema);
}

/** A value as it is written: with the constraints of the field. */
export function writeSchema(model: EntityModel, column: Column): Json {
  const definition = model.definition.fields[column.name];
  const { schema: read, written } = FIELD_TYPES[column.type];
  const base = written ?? read;
  const schema = definition === undefined ? base : { ...base, ...constraints(definition, base) };
  return column.nullable ? nullable(schema) : schema;
}

/** JSON Schema's bounds apply to numbers, so values that are shown as texts get none; its lengths count characters, so encoded bytes get none. */
function constraints(definition: FieldDefinition, base: Json): Json {
  const { min, max, min_length, max_length, pattern, format } = definition;
  const bounds = base['type'] === 'number' ? { minimum: min, maximum: max } : {};
  const out = {
    enum: definition.enum,
    ...bounds,
    ...(base['contentEncoding'] !== undefined ? {} : { minLength: min_length, maxLength: max_length }),
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
