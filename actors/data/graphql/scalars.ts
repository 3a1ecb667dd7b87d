/** GraphQL types of values. A scalar takes what REST takes of its type and shows what REST shows. */
import { GraphQLBoolean, GraphQLError, GraphQLFloat, GraphQLID, GraphQLScalarType, GraphQLString } from 'graphql';
import { Kind, valueFromASTUntyped } from 'graphql';
import type { ConstValueNode } from 'graphql';
import { FIELD_TYPES } from '#actors/kit/field-type.ts';
import { LongNumber } from '#actors/kit/long-number.ts';
import type { StoredType } from '#actors/engine/schema/stored.ts';

function scalarOf(name: string, type: StoredType, description: string): GraphQLScalarType {
  const row = FIELD_TYPES[type];
  const take = (value: unknown): unknown => {
    const stored = row.of(value);
    if (stored === undefined) throw new GraphQLError(`${name} must be ${row.expected}`);
    return stored;
  };
  return new GraphQLScalarType({
    name,
    description,
    coerceOutputValue: (value) => value,
    coerceInputValue: take,
    coerceInputLiteral: (node) => take(literalOf(node)),
  });
}

/** Numbers keep their digits: a literal may be longer than a double is exact. */
function literalOf(node: ConstValueNode): unknown {
  return node.kind === Kind.INT || node.kind === Kind.FLOAT ? node.value : valueFromASTUntyped(node);
}

const Json = new GraphQLScalarType({
  name: 'JSON',
  description: 'Any JSON value.',
  coerceOutputValue: (value) => value,
  // What no double can hold is refused with the row.
  coerceInputValue: (value) => value,
  coerceInputLiteral: (node) => valueFromASTUntyped(node),
});

const UNLIKE_TEXT = {
  integer: scalarOf(
    'Integer',
    'integer',
    'A 64-bit integer: a number where that is exact, else its digits as a string.',
  ),
  decimal: scalarOf('Decimal', 'decimal', 'An exact decimal number, as a string.'),
  date: scalarOf('Date', 'date', 'A calendar date, YYYY-MM-DD.'),
  datetime: scalarOf('DateTime', 'datetime', 'An RFC 3339 instant, shown in UTC with milliseconds.'),
  ulid: scalarOf('ULID', 'ulid', 'A ULID.'),
  uuid: scalarOf('UUID', 'uuid', 'A UUID.'),
  bytes: scalarOf('Bytes', 'bytes', 'Bytes in padded base64.'),
  json: Json,
} as const;

/** As GraphQL has it; a number of more digits than a double keeps is rounded, as in REST. */
const Float = new GraphQLScalarType({
  ...GraphQLFloat.toConfig(),
  coerceInputValue: (value) => GraphQLFloat.coerceInputValue(value instanceof LongNumber ? Number(value) : value),
});

/** Values of files are objects (see schema.ts); all others are scalars. */
export const SCALARS: Readonly<Record<Exclude<StoredType, 'file'>, GraphQLScalarType>> = {
  ...UNLIKE_TEXT,
  string: GraphQLString,
  text: GraphQLString,
  enum: GraphQLString,
  number: Float,
  boolean: GraphQLBoolean,
};

/** Keys, and references to them: `ID`, which clients keep apart, unless they are numbers. */
export function keyScalar(type: StoredType): GraphQLScalarType {
  return type === 'integer' ? SCALARS.integer : GraphQLID;
}

/** Names that no entity's type may have. */
export const SCALAR_NAMES: readonly string[] = ['ID', 'Int', ...Object.values(SCALARS).map((scalar) => scalar.name)];
