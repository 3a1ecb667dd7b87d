/** Long numbers among the variables of a request. */
import { isInputObjectType, isListType, isNonNullType, typeFromAST } from 'graphql';
import type { GraphQLInputType, GraphQLSchema, VariableDefinitionNode } from 'graphql';
import { LongNumber } from '#config/values/long-number.ts';

/**
 * The variables, with a double for every number that stands where an input object is expected. To the library a number that keeps its digits is
 * an empty object, and so a filter without a condition; a double it refuses.
 */
export function settledVariables(
  schema: GraphQLSchema,
  definitions: readonly VariableDefinitionNode[],
  raw: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  let settled: Record<string, unknown> | null = null;
  for (const { variable, type: node } of definitions) {
    const value = raw[variable.name.value];
    const type = typeof value === 'object' && value !== null ? typeFromAST(schema, node) : undefined;
    if (type === undefined) continue;
    const one = settledValue(type as GraphQLInputType, value);
    if (one !== value) (settled ??= { ...raw })[variable.name.value] = one;
  }
  return settled ?? raw;
}

function settledValue(type: GraphQLInputType, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (isNonNullType(type)) return settledValue(type.ofType, value);
  if (isListType(type)) {
    if (!Array.isArray(value)) return settledValue(type.ofType, value);
    const items = value.map((item) => settledValue(type.ofType, item));
    return items.some((item, i) => item !== value[i]) ? items : value;
  }
  if (!isInputObjectType(type)) return value;
  return value instanceof LongNumber ? Number(value) : settledObject(type.getFields(), value);
}

function settledObject(fields: Readonly<Record<string, { readonly type: GraphQLInputType }>>, value: object): object {
  let settled: Record<string, unknown> | null = null;
  for (const [name, member] of Object.entries(value)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const one = field === undefined ? member : settledValue(field.type, member);
    if (one !== member) (settled ??= { ...value })[name] = one;
  }
  return settled ?? value;
}
