/** What a document asks for, from its text alone: checked before anything expensive is done with it. */
import { Kind, type DocumentNode, type FragmentDefinitionNode, type SelectionSetNode } from 'graphql';
import { limits } from '#config/limits.ts';

export interface Survey {
  /** Fields and fragments, with every fragment written out where it is spread. */
  readonly fields: number;
  readonly aliases: number;
  /** Nested selections; those of introspection do not count, the library bounds them. */
  readonly depth: number;
  /** Whether it asks for the schema itself. */
  readonly introspects: boolean;
}

const NOTHING: Survey = { fields: 0, aliases: 0, depth: 0, introspects: false };

/**
 * The whole document. A fragment is surveyed once, however often it is spread; a cycle of spreads ends where it began. A fragment that no
 * operation spreads counts too, since validation looks at it first.
 */
export function survey(document: DocumentNode): Survey {
  const surveyor = new Surveyor(document);
  let all = NOTHING;
  for (const definition of document.definitions)
    if (definition.kind === Kind.OPERATION_DEFINITION) all = join(all, surveyor.selection(definition.selectionSet));
  for (const definition of document.definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION) all = join(all, surveyor.unspread(definition));
  return all;
}

/** What a document exceeds, as details of the refusal; null when it may run. */
export function excess(found: Survey): Record<string, number> | null {
  const { fieldsMax, aliasesMax, depthMax } = limits.graphql;
  if (found.fields > fieldsMax) return { fields: found.fields, most: fieldsMax };
  if (found.aliases > aliasesMax) return { aliases: found.aliases, most: aliasesMax };
  return found.depth > depthMax ? { depth: found.depth, most: depthMax } : null;
}

function join(a: Survey, b: Survey): Survey {
  return {
    fields: a.fields + b.fields,
    aliases: a.aliases + b.aliases,
    depth: Math.max(a.depth, b.depth),
    introspects: a.introspects || b.introspects,
  };
}

/** A fragment where it is spread: validation compares it with its neighbours as it compares fields. */
function counted(fragment: Survey): Survey {
  return { ...fragment, fields: fragment.fields + 1 };
}

class Surveyor {
  readonly #fragments = new Map<string, FragmentDefinitionNode>();
  readonly #known = new Map<string, Survey>();

  constructor(document: DocumentNode) {
    for (const definition of document.definitions)
      if (definition.kind === Kind.FRAGMENT_DEFINITION) this.#fragments.set(definition.name.value, definition);
  }

  selection(set: SelectionSetNode): Survey {
    let all = NOTHING;
    for (const node of set.selections) {
      if (node.kind === Kind.FRAGMENT_SPREAD) all = join(all, counted(this.#fragment(node.name.value)));
      else if (node.kind === Kind.INLINE_FRAGMENT) all = join(all, counted(this.selection(node.selectionSet)));
      else {
        const below = node.selectionSet === undefined ? NOTHING : this.selection(node.selectionSet);
        const name = node.name.value;
        const depth = name.startsWith('__') ? 1 : below.depth + 1;
        const aliases = below.aliases + (node.alias === undefined ? 0 : 1);
        const introspects = below.introspects || name === '__schema' || name === '__type';
        all = join(all, { fields: below.fields + 1, aliases, depth, introspects });
      }
    }
    return all;
  }

  /** What a fragment holds that was not counted yet. Of several with one name each counts by itself: validation refuses them. */
  unspread({ name, selectionSet }: FragmentDefinitionNode): Survey {
    if (this.#fragments.get(name.value)?.selectionSet !== selectionSet) return this.selection(selectionSet);
    return this.#known.has(name.value) ? NOTHING : this.#fragment(name.value);
  }

  #fragment(name: string): Survey {
    const known = this.#known.get(name);
    const fragment = this.#fragments.get(name);
    if (known !== undefined || fragment === undefined) return known ?? NOTHING;
    this.#known.set(name, NOTHING); // meanwhile: a cycle ends here, and validation refuses it
    const found = this.selection(fragment.selectionSet);
    this.#known.set(name, found);
    return found;
  }
}
