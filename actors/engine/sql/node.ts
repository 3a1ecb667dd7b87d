/** Reads PostgreSQL's syntax tree. A field of a node that its compiler does not know is refused, never ignored. */
import type { Node } from 'libpg-query';
import { limits } from '#config/limits.ts';
import type { Places } from './place.ts';

type Fields = Readonly<Record<string, unknown>>;

export class NodeReader {
  readonly #places: Places;
  #depth = 0;

  constructor(places: Places) {
    this.#places = places;
  }

  /** Refuses the definition, at a byte or at the place of a node. */
  fault(where: number | Node | object, what: string, mend: string): never {
    throw this.#places.fault(typeof where === 'number' ? where : locationOf(where), what, mend);
  }

  /** Refuses a construct that is valid in PostgreSQL and cannot be run here. */
  unsupported(where: number | Node | object, what: string, mend: string): never {
    return this.fault(where, `${what} cannot be run here`, mend);
  }

  /** Refuses every field of a node that is neither known nor empty. */
  only(node: object, known: readonly string[]): void {
    for (const [name, value] of Object.entries(node)) {
      if (known.includes(name) || name === 'location' || isEmpty(value)) continue;
      this.unsupported(node, `"${WORDS[name] ?? name}"`, 'leave it out; docs/sql.md lists what can be used');
    }
  }

  /** Runs `work` one level deeper; refuses more levels than the bound. */
  nested<T>(node: Node, work: () => T): T {
    if (this.#depth === limits.sql.depthMax)
      this.fault(node, `it nests deeper than ${limits.sql.depthMax} levels`, 'make it simpler');
    this.#depth++;
    const result = work();
    this.#depth--;
    return result;
  }
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === false || (Array.isArray(value) && value.length === 0);
}

const WORDS: Readonly<Record<string, string>> = {
  agg_filter: 'filter (where …)',
  agg_distinct: 'distinct',
  is_rowsfrom: 'rows from (…)',
  agg_order: 'order by',
  agg_within_group: 'within group',
  over: 'over (…)',
  func_variadic: 'variadic',
  lockingClause: 'for update',
  windowClause: 'window',
  groupDistinct: 'group by distinct',
  intoClause: 'into',
  lateral: 'lateral',
  isNatural: 'natural join',
  usingClause: 'using (…)',
  catalogname: 'a database name',
  schemaname: 'a schema name',
};

/** The kind of a node, and its fields. */
export function open(node: Node): readonly [string, Fields] {
  return Object.entries(node)[0] as [string, Fields];
}

/** The byte offset of a node: its own, else that of its first part that has one. */
export function locationOf(node: object): number {
  const found = search(node, 0);
  return found ?? 0;
}

function search(node: object, depth: number): number | undefined {
  const { location } = node as { location?: unknown };
  if (typeof location === 'number' && location >= 0) return location;
  if (depth > 6) return undefined;
  for (const value of Object.values(node) as unknown[]) {
    const found = typeof value === 'object' && value !== null ? search(value, depth + 1) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The texts of a list of names. */
export function textsOf(nodes: readonly Node[] | undefined): string[] {
  return (nodes ?? []).flatMap((node) => ('String' in node ? (node.String.sval ?? '') : []));
}

/** A key of an expression: equal for two nodes that are the same expression at different places. */
export function formOf(node: unknown): string {
  return JSON.stringify(node, (name, value: unknown) =>
    name.startsWith('rexpr_list') || name === 'location' ? undefined : value,
  );
}
