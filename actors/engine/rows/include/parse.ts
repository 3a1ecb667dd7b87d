/** Parses a list of relations: `country`, `city_by_country`, `country.capital` (docs/contract/data.md §5.6). */
import { limits } from '#config/limits.ts';
import { shown } from '#actors/kit/shown.ts';
import { failure } from '../failure.ts';
import type { Failure } from '../failure.ts';
import type { EntityModel, Reference } from '../model.ts';
import type { Include } from '../query.ts';

interface Relation {
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

interface Branch {
  readonly relation: Relation;
  readonly children: Map<string, Branch>;
}

/** The includes of the names; paths with the same beginning are joined. `see`: entities as the caller sees them. 422 for an unknown relation and past the bounds. */
export function parseInclude(
  model: EntityModel,
  names: readonly string[],
  depth: number,
  see: See = (other) => other,
): readonly Include[] | Failure {
  const root = new Map<string, Branch>();
  let count = 0;
  for (const name of names) {
    const path = name.split('.');
    if (path.length > depth)
      return failure(422, `include ${shown(name)} goes deeper than depth ${depth}`, { parameter: 'include', depth });
    let level = root;
    let at = model;
    for (const step of path) {
      let branch = level.get(step);
      if (branch === undefined) {
        const relation = findRelation(at, step, see);
        if (relation === undefined) return unknownRelation(at, step, see);
        if (++count > limits.data.includesMax) return tooMany();
        level.set(step, (branch = { relation, children: new Map() }));
      }
      level = branch.children;
      at = branch.relation.to;
    }
  }
  return includesOf(root);
}

function includesOf(level: ReadonlyMap<string, Branch>): Include[] {
  return [...level].map(
    ([
      relation,
      {
        relation: { reference, many },
        children,
      },
    ]) => {
      return { kind: 'include', relation, reference, many, include: includesOf(children) };
    },
  );
}

/** An entity as the caller sees it. */
type See = (model: EntityModel) => EntityModel;

/** A reference in a masked field gives no relation, as in GraphQL, nor does one that the caller does not read: the target would reveal what is hidden. */
function isOpen({ from, column }: Reference, see: See): boolean {
  return column.mask === null && see(from).column(column.name) !== undefined;
}

function findRelation(model: EntityModel, name: string, see: See): Relation | undefined {
  const forward = model.references.find((reference) => relationOf(reference) === name && isOpen(reference, see));
  if (forward !== undefined) return { reference: forward, many: false, to: see(forward.to) };
  const back = model.referencedBy.find((reference) => backRelationOf(reference) === name && isOpen(reference, see));
  return back && { reference: back, many: true, to: see(back.from) };
}

function unknownRelation(model: EntityModel, name: string, see: See): Failure {
  const isSeen = (reference: Reference): boolean => isOpen(reference, see);
  const known = [
    ...model.references.filter(isSeen).map(relationOf),
    ...model.referencedBy.filter(isSeen).map(backRelationOf),
  ];
  const list = known.length === 0 ? 'it has none' : `only ${known.join(', ')}`;
  return failure(422, `${model.name} has no relation ${shown(name)}: ${list}`, { parameter: 'include' });
}

function tooMany(): Failure {
  return failure(422, `at most ${limits.data.includesMax} relations`, { parameter: 'include' });
}

/** The deepest nesting that the caller allows with `depth`; 1 by default. */
export function parseDepth(text: string | undefined): number | Failure {
  if (text === undefined) return limits.data.includeDepthDefault;
  const depth = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (depth >= 1 && depth <= limits.data.includeDepthMax) return depth;
  return failure(422, `depth must be 1 to ${limits.data.includeDepthMax}`, { parameter: 'depth' });
}
