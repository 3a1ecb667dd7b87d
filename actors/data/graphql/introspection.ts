/** Introspection of a large schema takes as long as reading thousands of rows: its types are described in slices, too. */
import { isEnumType, isInputObjectType, isObjectType, type GraphQLSchema, type GraphQLNamedType } from 'graphql';
import type { Context } from './context.ts';

/** What a field, value or argument of a type costs to describe: each shows its type, which tools unwrap nine times. */
const MEMBER_COST = 15;

/**
 * The same schema, whose types come as promises when they are listed (`__schema { types }`), so that each is described when its
 * turn comes. Execution looks types up by name, and lists them for nothing else.
 */
export function introspectedInSlices(schema: GraphQLSchema, { slices }: Context): GraphQLSchema {
  const types = (): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(schema.getTypeMap()).map(([name, type]) => [name, slices.run(costOf(type), () => type)]),
    );
  const getType = (name: string): GraphQLNamedType | undefined => schema.getType(name);
  return Object.create(schema, { getTypeMap: { value: types }, getType: { value: getType } }) as GraphQLSchema;
}

function costOf(type: GraphQLNamedType): number {
  if (isEnumType(type)) return type.getValues().length;
  if (isInputObjectType(type)) return MEMBER_COST * Object.keys(type.getFields()).length;
  if (!isObjectType(type)) return 1;
  const fields = Object.values(type.getFields());
  return fields.reduce((cost, { args }) => cost + MEMBER_COST * (1 + args.length), 0);
}
