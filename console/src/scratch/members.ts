/** What a type of a GraphQL schema is made of: fields, fields of an input, values, possible types. Pure. */
import { isEnumType, isInputObjectType, isInterfaceType, isObjectType, isUnionType } from 'graphql';
import type { GraphQLInputType, GraphQLNamedType, GraphQLOutputType } from 'graphql';

export interface Member {
  readonly name: string;
  /** Undefined of a value of an enum. */
  readonly type: GraphQLOutputType | GraphQLInputType | undefined;
  readonly takes: readonly { readonly name: string; readonly type: GraphQLInputType }[];
  readonly about: string;
}

export function membersOf(type: GraphQLNamedType): readonly Member[] {
  if (isObjectType(type) || isInterfaceType(type))
    return Object.values(type.getFields()).map((field) => ({
      name: field.name,
      type: field.type,
      takes: field.args,
      about: field.description ?? '',
    }));
  if (isInputObjectType(type))
    return Object.values(type.getFields()).map((field) => ({
      name: field.name,
      type: field.type,
      takes: [],
      about: field.description ?? '',
    }));
  if (isEnumType(type))
    return type.getValues().map(({ name, description }) => ({
      name,
      type: undefined,
      takes: [],
      about: description ?? '',
    }));
  if (isUnionType(type)) return type.getTypes().map((one) => ({ name: one.name, type: one, takes: [], about: '' }));
  return [];
}
