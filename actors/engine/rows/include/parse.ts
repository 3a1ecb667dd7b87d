/** Parses a list of relations: `country`, `city_by_country`, `country.capital` (docs/contract/data.md §5.6). */
import { limits } from '#config/limits.ts';
import { shown } from '#actors/kit/shown.ts';
import { failure, type Failure } from '../failure.ts';
import type { EntityModel, Link, See } from '../model.ts';
import type { Include } from '../query.ts';
import { asItIs, findRelation, unknownRelation, type Relation } from './relation.ts';

interface Branch {
  readonly relation: Relation;
  readonly children: Map<string, Branch>;
}

/** The includes of the names; paths with the same beginning are joined. `see`: entities as the caller sees them. 422 for an unknown relation and past the bounds. */
export function parseInclude(
  model: EntityModel,
  names: readonly string[],
  depth: number,
  see: See = asItIs,
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
        relation: { reference, many, link },
        children,
      },
    ]) => {
      const linked = link !== undefined && { link };
      return { kind: 'include', relation, reference, many, ...linked, include: includesOf(children), asked: null };
    },
  );
}

/** The relations of a query with links whose ids are to be shown, as a `select` names them; those that are shown as rows stay so. 422 past the bound. */
export function withLinkIds(includes: readonly Include[], links: readonly Link[]): readonly Include[] | Failure {
  const ids = links
    .filter(({ name }) => !includes.some(({ relation }) => relation === name))
    .map((link): Include => {
      const { name: relation, by: reference } = link;
      return { kind: 'include', relation, reference, many: true, link, ids: true, include: [], asked: null };
    });
  const count = (of: readonly Include[]): number => of.reduce((sum, one) => sum + 1 + count(one.include), 0);
  return count(includes) + ids.length > limits.data.includesMax ? tooMany() : [...includes, ...ids];
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
