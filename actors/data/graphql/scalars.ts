/** GraphQL types of values. A scalar takes what REST takes of its type and shows what REST shows. */
import { GraphQLBoolean, GraphQLError, GraphQLFloat, GraphQLID, GraphQLScalarType, GraphQLString } from 'graphql';
import { Kind, valueFromASTUntyped } from 'graphql';
import type { ConstValueNode } from 'graphql';
import { FIELD_TYPE_NAMES, FIELD_TYPES, typesWhere, type FieldType } from '#config/values/field-types.ts';
import type { GraphqlScalar, TypeRow } from '#config/values/type-row.ts';
import { LongNumber } from '#config/values/long-number.ts';
import type { StoredType } from '#actors/engine/schema/stored.ts';

function ownScalar(
  { name, description }: Exclude<GraphqlScalar, string>,
  of: TypeRow['of'],
  expected: string,
): GraphQLScalarType {
  const take = (value: unknown): unknown => {
    const stored = of(value);
    if (stored === undefined) throw new GraphQLError(`${name} must be ${expected}`);
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

/** A number's text, so that it keeps its digits: it may have more of them than a double holds. */
function literalOf(node: ConstValueNode): unknown {
  return node.kind === Kind.INT || node.kind === Kind.FLOAT ? node.value : valueFromASTUntyped(node);
}

export const JSON_SCALAR = new GraphQLScalarType({
  name: 'JSON',
  description: 'Any JSON value.',
  coerceOutputValue: (value) => value,
  // The row's check refuses what no double can hold.
  coerceInputValue: (value) => value,
  coerceInputLiteral: (node) => valueFromASTUntyped(node),
});

/** As GraphQL has it; a number of more digits than a double keeps is rounded, as in REST. */
const Float = new GraphQLScalarType({
  ...GraphQLFloat.toConfig(),
  coerceInputValue: (value) => GraphQLFloat.coerceInputValue(value instanceof LongNumber ? Number(value) : value),
});

const KNOWN: Readonly<Record<Extract<GraphqlScalar, string>, GraphQLScalarType>> = {
  String: GraphQLString,
  Float,
  Boolean: GraphQLBoolean,
  JSON: JSON_SCALAR,
};

function scalarOf(type: FieldType): GraphQLScalarType | null {
  const { graphql, of, expected } = FIELD_TYPES[type];
  if (graphql === null) return null;
  return typeof graphql === 'string' ? KNOWN[graphql] : ownScalar(graphql, of, expected);
}

/** By type; null for files, whose values are objects (see schema.ts), and for references, which are keys. */
const SCALARS: ReadonlyMap<FieldType, GraphQLScalarType | null> = new Map(
  FIELD_TYPE_NAMES.map((type) => [type, scalarOf(type)]),
);

export const integerScalar = SCALARS.get('integer')!;

/** The scalar of values of a type; null for files. */
export function valueScalar(type: StoredType): GraphQLScalarType | null {
  return SCALARS.get(type) ?? null;
}

/** Scalars that patterns are matched with. */
export const LIKE_SCALARS: ReadonlySet<unknown> = new Set([
  GraphQLID,
  ...typesWhere(({ likes }) => likes).map((type) => SCALARS.get(type)),
]);

/** The scalar of keys and references: `ID`, unless they are numbers. */
export function keyScalar(type: StoredType): GraphQLScalarType {
  return FIELD_TYPES[type].zero === null ? GraphQLID : (valueScalar(type) ?? GraphQLID);
}

/** Names that no entity's type may have. */
export const SCALAR_NAMES: readonly string[] = [
  'ID',
  'Int',
  ...[...SCALARS.values()].flatMap((scalar) => scalar?.name ?? []),
];
