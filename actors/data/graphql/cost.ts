/** The most values that an operation may answer with: its fields times its pages, computed before anything is read. */
import { getNamedType, isObjectType, Kind } from 'graphql';
import type { DirectiveNode, DocumentNode, FieldNode, FragmentDefinitionNode, GraphQLField } from 'graphql';
import type { GraphQLObjectType, GraphQLSchema, OperationDefinitionNode, SelectionSetNode, ValueNode } from 'graphql';
import { PAGE_COST, ROW_COST } from './connection.ts';
import type { Listing } from './schema.ts';

export type Variables = Readonly<Record<string, unknown>>;

/** The greatest cost of a valid operation with its coerced variables: values, and what each row and page costs beside its values. */
export function costOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): number {
  const root = schema.getRootType(operation.operation);
  return root == null ? 0 : new Costing(document, variables).selection(operation.selectionSet, root, 0);
}

class Costing {
  readonly #variables: Variables;
  readonly #fragments = new Map<string, FragmentDefinitionNode>();

  constructor(document: DocumentNode, variables: Variables) {
    this.#variables = variables;
    for (const definition of document.definitions)
      if (definition.kind === Kind.FRAGMENT_DEFINITION) this.#fragments.set(definition.name.value, definition);
  }

  /** `items` is the length of the page that lists in this selection have. */
  selection(set: SelectionSetNode, type: GraphQLObjectType, items: number): number {
    let cost = 0;
    for (const node of set.selections) {
      if (this.#isSkipped(node.directives ?? [])) continue;
      if (node.kind === Kind.FIELD) cost += this.#field(node, type, items);
      else if (node.kind === Kind.INLINE_FRAGMENT) cost += this.selection(node.selectionSet, type, items);
      else cost += this.selection(this.#fragments.get(node.name.value)!.selectionSet, type, items);
    }
    return cost;
  }

  #field(node: FieldNode, parent: GraphQLObjectType, items: number): number {
    const field = parent.getFields()[node.name.value];
    if (field === undefined) return 1; // __typename and introspection
    const type = getNamedType(field.type);
    if (!isObjectType(type) || node.selectionSet === undefined)
      return node.name.value === 'total' ? PAGE_COST : ((field.extensions['cost'] as number | undefined) ?? 1);
    const listing = field.extensions['listing'] as Listing | undefined;
    if (listing !== undefined) {
      const page = this.#pageOf(node, listing);
      return PAGE_COST + ROW_COST * page + this.selection(node.selectionSet, type, page);
    }
    const times = isList(field) ? items : 1;
    return times * (ROW_COST + this.selection(node.selectionSet, type, 0));
  }

  #pageOf(node: FieldNode, { firstDefault }: Listing): number {
    const given = node.arguments
      ?.filter(({ name }) => name.value === 'first' || name.value === 'last')
      .map(({ value }) => this.#valueOf(value))
      .filter((count) => count != null) as number[] | undefined;
    return given === undefined || given.length === 0 ? firstDefault : Math.max(0, ...given);
  }

  /** A number or a boolean of the document or of a variable; undefined where none is given. */
  #valueOf(node: ValueNode | undefined): unknown {
    if (node === undefined) return undefined;
    if (node.kind === Kind.INT) return Number(node.value);
    if (node.kind === Kind.BOOLEAN) return node.value;
    return node.kind === Kind.VARIABLE ? this.#variables[node.name.value] : undefined;
  }

  #isSkipped(directives: readonly DirectiveNode[]): boolean {
    return directives.some(({ name, arguments: args }) => {
      const condition = this.#valueOf(args?.[0]?.value);
      return name.value === 'skip' ? condition === true : name.value === 'include' && condition === false;
    });
  }
}

function isList(field: GraphQLField<unknown, unknown>): boolean {
  return String(field.type).startsWith('[');
}
