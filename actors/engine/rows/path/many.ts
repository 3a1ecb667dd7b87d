/**
 * Paths over relations of many rows: `comment_by_ticket.text` (docs/contract/data.md §5.4.3). What the asker may not read is answered as what
 * is not there, as in parse.ts.
 */
import { backOf } from '../include/relation.ts';
import { linkOf } from '../links/link.ts';
import type { EntityModel, Link, Reference, See } from '../model.ts';
import { equals, type Conjunction, type Predicate } from '../query.ts';
import { fieldsSeen, seenOf, type Asker } from './asker.ts';
import { hopOf } from './parse.ts';

/** How many of the rows must meet the conditions. No operator has such a name. */
export const QUANTIFIERS = ['some', 'none', 'every'] as const;
export type Quantifier = (typeof QUANTIFIERS)[number];

export function quantifierOf(name: string | undefined): Quantifier | undefined {
  return QUANTIFIERS.find((one) => one === name?.toLowerCase());
}

/** A path up to its first relation of many rows. */
export interface ManyPath {
  readonly hops: readonly Reference[];
  readonly to: ManyRows;
  /** What stands behind it; empty where the relation is the end. */
  readonly rest: string;
}

/** Rows that a relation of many leads to: those that refer to a row, or those that are linked with it. */
export interface ManyRows {
  readonly by: Reference;
  /** Where they are linked: the reference of a pair to one of them. `by` is then that of the pair to the row. */
  readonly over?: Reference;
  /** Their entity. */
  readonly from: EntityModel;
}

/** The relations that a path names, with the end where that is one too. */
export function relationsIn(path: string, endsInRelation: boolean): string[] {
  const names = path.split('/', 1)[0]!.split('.');
  return endsInRelation ? names : names.slice(0, -1);
}

/** Null for a path that leads over no such relation. */
export function manyOf(model: EntityModel, path: string, endsInRelation: boolean, asker: Asker): ManyPath | null {
  const hops: Reference[] = [];
  let at = 0;
  for (const name of relationsIn(path, endsInRelation)) {
    const from = hops.at(-1)?.to ?? model;
    at += name.length + 1;
    const hop = hopOf(from, name, asker);
    const to = hop === undefined ? manyRowsOf(from, name, asker) : undefined;
    if (to !== undefined) return { hops, to, rest: path.slice(at) };
    if (hop === undefined) return null;
    hops.push(hop);
  }
  return null;
}

/** The rows that a relation leads to. Undefined for one that the asker may not follow. */
export function manyRowsOf(model: EntityModel, relation: string, asker: Asker | null): ManyRows | undefined {
  const see = (other: EntityModel): EntityModel => fieldsSeen(asker, other);
  const by = backOf(model, relation, see);
  const to = by === undefined ? linkedRowsOf(model, relation, see) : { by, from: by.from };
  return to === undefined || asker === null || seenOf(asker, to.from) === 'none' ? undefined : to;
}

function linkedRowsOf(model: EntityModel, relation: string, see: See): ManyRows | undefined {
  const link = linkOf(model, relation, see);
  return link && { by: link.by, over: link.over, from: link.over.to };
}

/** The predicate of the rows on the other side of a link that they are linked with the row of a key. */
export function linkedWith({ name, by, over }: Link, key: unknown): Predicate {
  const to: ManyRows = { by: over, over: by, from: by.to };
  return rowsPredicate(name, [], to, { where: [equals(by.to.key.name, key)], any: [] }, 'some');
}

/** The predicate that so many of the rows meet the conditions. */
export function rowsPredicate(
  path: string,
  hops: readonly Reference[],
  { by, over }: ManyRows,
  of: Conjunction,
  quantifier: Quantifier,
): Predicate {
  const rows = { by, ...(over !== undefined && { over }), of, every: quantifier === 'every' };
  const at = { hops, column: by.to.key, inside: [], read: null, rows };
  return { kind: 'predicate', field: path, op: 'eq', value: quantifier !== 'none', at };
}
