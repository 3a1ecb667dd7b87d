/** `changes.groups` of `product.yaml`: consumer groups, whose place in the changes of an entity is kept. Source: docs/contract/changes.md §8.1. */
import * as z from 'zod';
import { suggestion } from '#config/values/suggest.ts';
import { limits } from '../limits.ts';
import { problemAt, type Path, type Problem } from '../problem.ts';
import * as kit from '../schema-kit.ts';
import type { Tree } from '../tree.ts';
import { notGrantable, type RoleCatalogue } from './roles-section.ts';

/** A consumer group: callers that go on together in the changes of one entity. */
export interface ChangeGroup {
  readonly entity: string;
  /** Whether service tokens that count at the tenant use it. */
  readonly services?: boolean;
  /** Users with one of these roles use it. */
  readonly roles?: readonly string[];
  /** Whether all of them use it; without it the first one that acknowledges has it alone. */
  readonly shared?: boolean;
}

export type ChangeGroups = Readonly<Record<string, ChangeGroup>>;

const GROUP = /^[a-z0-9][a-z0-9_-]{0,62}$/;

const group = kit.entry({
  entity: kit.text('the name of an entity', 'ticket').meta({ about: 'the entity whose changes the group follows' }),
  services: kit.yesNo().optional().meta({ about: 'service tokens that count at the tenant may use it' }),
  roles: kit
    .list(kit.text('the name of a role', 'dispatcher'), 'roles')
    .optional()
    .meta({ about: 'users with one of these roles may use it' }),
  shared: kit.yesNo().optional().meta({
    about: 'several callers move its place; without it the first one that acknowledges has the group alone',
  }),
});

export const changeGroupsSection = z
  .record(z.string().regex(GROUP, 'use lower-case letters, digits, _ and -, at most 63 characters'), group)
  .refine((groups) => Object.keys(groups).length <= limits.changes.groupsMax)
  .meta({
    description: `a map of group names to what each follows, at most ${limits.changes.groupsMax}`,
    example: '{ search-index: { entity: ticket, services: true } }',
  });

interface Known {
  readonly entities: readonly { readonly name: string; readonly changes?: true }[];
  /** Also of entities that have problems. */
  readonly names: readonly string[];
  readonly catalogue: RoleCatalogue | undefined;
}

/** Groups that no caller could use, roles that no user can have, entities that are not there or keep no changes. `tree`: that of `product.yaml`. */
export function groupProblems(groups: ChangeGroups | undefined, tree: Tree, known: Known): Problem[] {
  return Object.entries(groups ?? {}).flatMap(([name, one]) => {
    const at = ['changes', 'groups', name];
    return [...memberProblems(one, tree, at, known), ...entityProblems(one, tree, at, known)];
  });
}

function memberProblems({ services, roles = [] }: ChangeGroup, tree: Tree, at: Path, { catalogue }: Known): Problem[] {
  if (services !== true && roles.length === 0) {
    const mend = 'write `services: true`, or the `roles` that may use it';
    return [problemAt(tree.placeOf(at, 'key'), at, 'no caller may use this group', mend)];
  }
  return roles.flatMap((role, n) => {
    const why = notGrantable(catalogue, role);
    const path = [...at, 'roles', n];
    return why === null ? [] : [problemAt(tree.placeOf(path, 'value'), path, why.message, why.mend)];
  });
}

function entityProblems({ entity }: ChangeGroup, tree: Tree, at: Path, { entities, names }: Known): Problem[] {
  const path = [...at, 'entity'];
  const say = (message: string, mend: string): Problem[] => [
    problemAt(tree.placeOf(path, 'value'), path, message, mend),
  ];
  if (!names.includes(entity)) return say(`there is no entity "${entity}"`, suggestion(entity, names));
  const found = entities.find(({ name }) => name === entity);
  if (found === undefined || found.changes === true) return [];
  return say(`${entity} keeps no changes`, `write \`changes: true\` in the entity ${entity}`);
}
