/**
 * Links of rows with any number of rows of another entity: `links: {<name>: {entity, roles}}`. Source: docs/contract/data-definitions.md §1.14.
 * The loader makes an entity that holds the pairs, so that plans, backups, exports, integrity and erasures know them as rows like any other.
 */
import * as z from 'zod';
import { whereOf } from '../check.ts';
import { limits } from '../limits.ts';
import { problemAt, type Path, type Problem } from '../problem.ts';
import * as kit from '../schema-kit.ts';
import { suggestion } from '#config/values/suggest.ts';
import { mapOf, type Tree } from '../tree.ts';
import { OBJECT_NAMES } from './entity-rules.ts';
import { fieldRoles } from './field-roles.ts';
import type { EntityDefinition, FieldDefinition, LinkDefinition } from './product.ts';
import { notGrantable, type RoleCatalogue } from './roles-section.ts';
import { name } from './source.ts';

const link = kit.entry({
  entity: name.meta({ about: 'the entity of the rows on the other side; it may be this one' }),
  roles: fieldRoles.optional().meta({ about: 'which roles read the links and change them; all of them unless set' }),
});

/** The form of the key. */
export const links = z
  .record(name, link)
  .meta({ description: 'a map of links', example: '{ tags: { entity: tag } }' })
  .optional();

/** The fields of a pair: the row whose entity declares the link, and the row on the other side. */
export const PAIR_SOURCE = 'source';
export const PAIR_TARGET = 'target';

/** The links as loaded; undefined where none is declared. */
export function linksOf(
  written: z.output<typeof links>,
  tree: Tree,
  at: Path,
): Readonly<Record<string, LinkDefinition>> | undefined {
  const entries = Object.entries(written ?? {});
  if (entries.length === 0) return undefined;
  return mapOf(
    entries.map(([own, { entity, roles }]): [string, LinkDefinition] => [
      own,
      { entity, ...(roles !== undefined && { roles }), where: whereOf(tree, [...at, own]) },
    ]),
  );
}

/** The name under which rows of the other side show the rows that are linked with them. */
export const linkBack = (entity: string, own: string): string => `${entity}_by_${own}`;

/** The entity that holds the pairs of a link. No declared name has a dot, so none can be meant by it. */
const pairsName = (entity: string, own: string): string => `${entity}.${own}`;

/** The entities, with one for the pairs of each link whose other side is among them: two references, unique together, each deleted with its target. */
export function withPairs(entities: readonly EntityDefinition[]): readonly EntityDefinition[] {
  const names = new Set(entities.map((entity) => entity.name));
  const pairs = entities.flatMap((entity) =>
    Object.entries(entity.links ?? {})
      .filter(([, { entity: other }]) => names.has(other))
      .map(([own, one]) => pairsOf(entity.name, own, one)),
  );
  return pairs.length === 0 ? entities : [...entities, ...pairs];
}

function pairsOf(entity: string, own: string, { entity: other, where }: LinkDefinition): EntityDefinition {
  const end = (of: string): FieldDefinition => {
    return { type: 'ref', required: true, ref: { entity: of, on_delete: 'cascade' } };
  };
  return {
    name: pairsName(entity, own),
    fields: { id: { type: 'ulid' }, [PAIR_SOURCE]: end(entity), [PAIR_TARGET]: end(other) },
    traits: [],
    unique: [[PAIR_SOURCE, PAIR_TARGET]],
    index: [],
    access: {},
    pairsOf: { entity, link: own },
    where,
  };
}

/** Every fault of an entity's links, among all entities that the product declares; `known` has the names of those with problems, too. */
export function linkProblems(
  entity: EntityDefinition,
  tree: Tree,
  all: readonly EntityDefinition[],
  known: readonly string[],
  catalogue: RoleCatalogue | undefined,
): Problem[] {
  const named = Object.entries(entity.links ?? {});
  const problems: Problem[] = [];
  const say = (path: Path, message: string, mend: string, part: 'key' | 'value' = 'key'): void => {
    const full = ['entities', entity.name, 'links', ...path];
    problems.push(problemAt(tree.placeOf(full, part), full, message, mend));
  };
  const most = limits.data.linksMax;
  if (named.length > most) say([], `${entity.name} has ${named.length} links`, `leave at most ${most}`);
  for (const [own, { entity: other, roles = {} }] of named) {
    const target = all.find((one) => one.name === other);
    if (!known.includes(other))
      say([own, 'entity'], `there is no entity "${other}"`, suggestion(other, known), 'value');
    const pairs = pairsName(entity.name, own);
    const taken = holderOf(own, entity, all, pairs);
    if (taken !== null) say([own], `"${own}" is ${taken} of ${entity.name} already`, 'choose another name');
    const back = linkBack(entity.name, own);
    const clash = target === undefined ? null : holderOf(back, target, all, pairs);
    if (clash !== null) say([own], `its way back, "${back}", is ${clash} of ${other} already`, 'choose another name');
    for (const key of ['read', 'write'] as const)
      for (const [at, role] of (roles[key] ?? []).entries()) {
        const why = notGrantable(catalogue, role);
        if (why !== null) say([own, 'roles', key, at], why.message, why.mend, 'value');
      }
  }
  return problems;
}

/** What the service shows in rows besides (entity-rules.ts), and names that every object has. */
const KEPT_NAMES = ['version', 'created_at', 'updated_at', 'deleted_at', 'deleted_by', 'hash', ...OBJECT_NAMES];

/** What else has the name among the members of an entity's rows; null where nothing has. `but`: the link that is to have it. */
function holderOf(own: string, entity: EntityDefinition, all: readonly EntityDefinition[], but: string): string | null {
  for (const [member, what, of] of membersOf(entity, all)) if (member === own && of !== but) return what;
  return null;
}

/** All names under which rows of an entity show something, with what it is; of links also which one. */
function* membersOf(
  entity: EntityDefinition,
  all: readonly EntityDefinition[],
): Generator<readonly [member: string, what: string, link?: string]> {
  for (const field of [...Object.keys(entity.fields), ...Object.keys(entity.computed ?? {})]) yield [field, 'a field'];
  for (const kept of KEPT_NAMES) yield [kept, 'a reserved name'];
  for (const [field] of referencesIn(entity)) yield [relationIn(field), 'a relation'];
  for (const own of Object.keys(entity.links ?? {})) yield [own, 'a link', pairsName(entity.name, own)];
  for (const other of all) {
    for (const [field, { ref }] of referencesIn(other))
      if (ref!.entity === entity.name) yield [linkBack(other.name, relationIn(field)), 'a relation'];
    for (const [own, { entity: to }] of Object.entries(other.links ?? {}))
      if (to === entity.name) yield [linkBack(other.name, own), 'the way back of a link', pairsName(other.name, own)];
  }
}

const relationIn = (field: string): string => field.replace(/_id$/, '');

const referencesIn = ({ fields }: EntityDefinition): [string, FieldDefinition][] =>
  Object.entries(fields).filter(([, { ref }]) => ref !== undefined);
