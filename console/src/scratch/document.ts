/** What a GraphQL document asks for, read from its text; one to begin with, made of a schema. Pure. */
import { getNamedType, isLeafType, isObjectType, isRequiredArgument, parse } from 'graphql';
import type { GraphQLField, GraphQLObjectType, GraphQLSchema } from 'graphql';

export type OperationKind = 'query' | 'mutation' | 'subscription';

export interface Operation {
  /** Undefined of one without a name. */
  readonly name: string | undefined;
  readonly kind: OperationKind;
}

/** The operations of a document, in its order; none where it cannot be read: the node says why. */
export function operationsIn(text: string): readonly Operation[] {
  try {
    return parse(text).definitions.flatMap((one) =>
      one.kind === 'OperationDefinition' ? [{ name: one.name?.value, kind: one.operation }] : [],
    );
  } catch {
    return [];
  }
}

/** Variables as they were typed; null where the text is no JSON object. */
export function variablesIn(text: string): Readonly<Record<string, unknown>> | null {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** More fields would hide the document. */
const EXAMPLE_FIELDS_MAX = 5;

/** A few rows of the first list that can be asked for without arguments; empty where there is none. */
export function exampleOf(schema: GraphQLSchema): string {
  for (const field of Object.values(schema.getQueryType()?.getFields() ?? {})) {
    const node = nodeOf(field);
    if (node === null || field.args.some(isRequiredArgument)) continue;
    const names = leavesOf(node).slice(0, EXAMPLE_FIELDS_MAX);
    const first = field.args.some(({ name }) => name === 'first') ? '(first: 5)' : '';
    return `query {\n  ${field.name}${first} {\n    edges {\n      node {\n${names.map((name) => `        ${name}\n`).join('')}      }\n    }\n  }\n}\n`;
  }
  return '';
}

/** What a connection is about; null of a field that gives none. */
function nodeOf(field: GraphQLField<unknown, unknown>): GraphQLObjectType | null {
  const edge = typeUnder(getNamedType(field.type), 'edges');
  return edge === null ? null : typeUnder(edge, 'node');
}

function typeUnder(type: unknown, name: string): GraphQLObjectType | null {
  if (!isObjectType(type)) return null;
  const under = getNamedType(type.getFields()[name]?.type);
  return isObjectType(under) ? under : null;
}

const leavesOf = (type: GraphQLObjectType): string[] =>
  Object.values(type.getFields())
    .filter((field) => isLeafType(getNamedType(field.type)) && field.args.every((one) => !isRequiredArgument(one)))
    .map(({ name }) => name);
