/**
 * Documents whose variables are coerced already. The compiler writes out the coercion of every variable, and never ends where an input type contains
 * itself, as filters do; the request's variables were coerced by the library, for their faults and their cost.
 */
import { GraphQLScalarType, Kind, visit, type DocumentNode, type GraphQLSchema } from 'graphql';

/** Names that begin so are the library's own: no schema has it. */
const NAME = '__Coerced';
const coerced = new GraphQLScalarType({ name: NAME });

/** The document with variables that are taken as they are. */
export function takingCoerced(document: DocumentNode): DocumentNode {
  const type = { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: NAME } } as const;
  return visit(document, {
    VariableDefinition: ({ kind, variable, directives, loc }) => ({ kind, variable, type, directives, loc }),
  });
}

/** The schema with the type of such variables. */
export function withCoerced(schema: GraphQLSchema): GraphQLSchema {
  return Object.create(schema, {
    getType: { value: (name: string) => (name === NAME ? coerced : schema.getType(name)) },
  }) as GraphQLSchema;
}
