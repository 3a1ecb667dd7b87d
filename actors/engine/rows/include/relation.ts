/** Relations of an entity: the rows that its references name, and those that refer to it (docs/contract/data-definitions.md §1.5). */
import { shown } from '#actors/kit/shown.ts';
import { failure } from '../failure.ts';
import type { Failure } from '../failure.ts';
import type { EntityModel, Reference } from '../model.ts';

export interface Relation {
  readonly reference: Reference;
  readonly many: boolean;
  readonly to: EntityModel;
}

/** A reference shows its target under the field's name without `_id`. */
function relationOf(reference: Reference): string {
  return reference.column.name.replace(/_id$/, '');
}

/** The target of a reference shows the referring rows under `<entity>_by_<relation>`. */
function backRelationOf(reference: Reference): string {
  return `${reference.from.name}_by_${relationOf(reference)}`;
}

/** A reference in a masked field gives no relation, as in GraphQL: the target would reveal what the mask hides. */
const isOpen = ({ column }: Reference): boolean => column.mask === null;

/** The reference that a relation of this name goes forward by. */
export function forwardOf(model: EntityModel, name: string): Reference | undefined {
  return model.references.find((reference) => isOpen(reference) && relationOf(reference) === name);
}

export function findRelation(model: EntityModel, name: string): Relation | undefined {
  const forward = forwardOf(model, name);
  if (forward !== undefined) return { reference: forward, many: false, to: forward.to };
  const back = model.referencedBy.find((reference) => isOpen(reference) && backRelationOf(reference) === name);
  return back && { reference: back, many: true, to: back.from };
}

export function unknownRelation(model: EntityModel, name: string): Failure {
  const known = [
    ...model.references.filter(isOpen).map(relationOf),
    ...model.referencedBy.filter(isOpen).map(backRelationOf),
  ];
  const list = known.length === 0 ? 'it has none' : `only ${known.join(', ')}`;
  return failure(422, `${model.name} has no relation ${shown(name)}: ${list}`, { parameter: 'include' });
}
