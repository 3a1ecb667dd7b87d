/** A mutation without its selections: only root fields stay, so that all are written before anything is read. */
import { Kind } from 'graphql';
import type {
  DocumentNode,
  FragmentDefinitionNode,
  OperationDefinitionNode,
  SelectionNode,
  SelectionSetNode,
} from 'graphql';

const NAMES_ITSELF: SelectionSetNode = {
  kind: Kind.SELECTION_SET,
  selections: [{ kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } }],
};

/** A valid document of that one operation: root fields with their arguments and directives, fragments written out. */
export function rootsOnly(document: DocumentNode, operation: OperationDefinitionNode): DocumentNode {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  const roots = (set: SelectionSetNode): SelectionSetNode => ({ ...set, selections: set.selections.map(rootOf) });
  const rootOf = (node: SelectionNode): SelectionNode => {
    if (node.kind === Kind.FIELD)
      return node.selectionSet === undefined ? node : { ...node, selectionSet: NAMES_ITSELF };
    const set = node.kind === Kind.INLINE_FRAGMENT ? node.selectionSet : fragments.get(node.name.value)!.selectionSet;
    return { kind: Kind.INLINE_FRAGMENT, directives: node.directives ?? [], selectionSet: roots(set) };
  };
  return { ...document, definitions: [{ ...operation, selectionSet: roots(operation.selectionSet) }] };
}
