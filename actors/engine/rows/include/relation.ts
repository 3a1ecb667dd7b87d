/** Relations of an entity: the rows that its references name, and those that refer to it (docs/contract/data-definitions.md §1.5). */
import { shown } from '#actors/kit/shown.ts';
import { failure, type Failure } from '../failure.ts';
import { isRead, linkOf } from '../links/link.ts';
import type { EntityModel, Link, Reference, See } from '../model.ts';

export interface Relation {
  readonly reference: Reference;
  readonly many: boolean;
  readonly to: EntityModel;
  /** Where rows are linked: `reference` is then that of the pairs to the row that has the relation. */
  readonly link?: Link;
}

/** A reference shows its target under the field's name without `_id`. */
function relationOf(reference: Reference): string {
  return reference.column.name.replace(/_id$/, '');
}

/** The target of a reference shows the referring rows under `<entity>_by_<relation>`. */
function backRelationOf(reference: Reference): string {
  return `${reference.from.name}_by_${relationOf(reference)}`;
}

export const asItIs: See = (model) => model;

/**
 * A reference in a masked field gives no relation, as in GraphQL, nor does one that the caller does not read: the target would reveal what is hidden.
 * References of the pairs of a link give that link in place of relations.
 */
function isOpen({ from, column }: Reference, see: See): boolean {
  if (from.definition.pairsOf !== undefined) return false;
  return column.mask === null && see(from).column(column.name) !== undefined;
}

/** The reference that a relation of this name goes forward by. */
export function forwardOf(model: EntityModel, name: string, see: See): Reference | undefined {
  return model.references.find((reference) => relationOf(reference) === name && isOpen(reference, see));
}

/** The reference that a relation of this name goes back by, to the rows that have it. */
export function backOf(model: EntityModel, name: string, see: See): Reference | undefined {
  return model.referencedBy.find((reference) => backRelationOf(reference) === name && isOpen(reference, see));
}

export function findRelation(model: EntityModel, name: string, see: See): Relation | undefined {
  const forward = forwardOf(model, name, see);
  if (forward !== undefined) return { reference: forward, many: false, to: see(forward.to) };
  const back = backOf(model, name, see);
  if (back !== undefined) return { reference: back, many: true, to: see(back.from) };
  const link = linkOf(model, name, see);
  return link && { reference: link.by, many: true, to: see(link.over.to), link };
}

/** The entity of the rows that a relation shows. */
export function shownOf({ reference, many, link }: Pick<Relation, 'reference' | 'many' | 'link'>): EntityModel {
  if (link !== undefined) return link.over.to;
  return many ? reference.from : reference.to;
}

export function unknownRelation(model: EntityModel, name: string, see: See): Failure {
  const isSeen = (reference: Reference): boolean => isOpen(reference, see);
  const known = [
    ...model.references.filter(isSeen).map(relationOf),
    ...model.referencedBy.filter(isSeen).map(backRelationOf),
    ...[...model.links.values()].filter((link) => isRead(link, see)).map(({ name: own }) => own),
  ];
  const list = known.length === 0 ? 'it has none' : `only ${known.join(', ')}`;
  return failure(422, `${model.name} has no relation ${shown(name)}: ${list}`, { parameter: 'include' });
}
