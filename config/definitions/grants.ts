/**
 * `grants: {<role>: [<operation>, …]}` of a product or an entity: what roles may do where no `access.<operation>` decides. Source:
 * docs/contract/data-definitions.md §2.3. A grant becomes a rule, so that everything that asks rules knows it.
 */
import * as z from 'zod';
import { whereOf } from '../check.ts';
import * as kit from '../schema-kit.ts';
import { problemAt, type Path, type Problem } from '../problem.ts';
import type { Tree } from '../tree.ts';
import { OPERATIONS } from './operations.ts';
import type { AccessOperation, EntityDefinition, Grants, RuleDefinition } from './product.ts';
import { notGrantable, type RoleCatalogue } from './roles-section.ts';

/** The form of the key. */
export const grantsSection = z
  .record(
    kit.pattern(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, 'a role: letters, digits, _, . and -', 'auditor'),
    kit.list(kit.oneOf(OPERATIONS), 'operations').meta({ about: 'what the role may do' }),
  )
  .meta({ description: 'a map of roles to lists of operations', example: '{ auditor: [read] }' });

/** Roles that no user can have. `at`: where the grants are written. */
export function grantProblems(
  grants: Grants | undefined,
  tree: Tree,
  at: Path,
  catalogue: RoleCatalogue | undefined,
): Problem[] {
  return Object.keys(grants ?? {}).flatMap((role) => {
    const why = notGrantable(catalogue, role);
    const path = [...at, role];
    return why === null ? [] : [problemAt(tree.placeOf(path, 'key'), path, why.message, why.mend)];
  });
}

export interface PlacedGrants {
  readonly grants: Grants;
  /** File, line and column. */
  readonly where: string;
}

/** The grants that are written at a path; null where there are none. */
export function placedGrants(grants: Grants | undefined, tree: Tree, at: Path): PlacedGrants | null {
  return grants === undefined ? null : { grants, where: whereOf(tree, at) };
}

/** The entity with a rule for each operation that it has no rule of its own for, and that a role is granted. */
export function withGrants(entity: EntityDefinition, placed: PlacedGrants | null): EntityDefinition {
  if (placed === null) return entity;
  const made = OPERATIONS.flatMap((operation): [AccessOperation, RuleDefinition][] => {
    const roles = Object.keys(placed.grants).filter((role) => placed.grants[role]!.includes(operation));
    return roles.length === 0 ? [] : [[operation, ruleOf(roles, placed.where)]];
  });
  return { ...entity, access: { ...Object.fromEntries(made), ...entity.access } };
}

/** What grants let a role do with an entity as it was loaded: an operation that has a rule of its own is decided by that. `grants`: the product's. */
export function grantedTo(
  role: string,
  entity: EntityDefinition,
  grants: Grants | undefined,
): readonly AccessOperation[] {
  const inForce = entity.grants ?? grants ?? {};
  return OPERATIONS.filter((operation) => {
    if (inForce[role]?.includes(operation) !== true) return false;
    const roles = Object.keys(inForce).filter((one) => inForce[one]!.includes(operation));
    return entity.access[operation]?.rule === ruleOf(roles, '').rule;
  });
}

/** A superadmin stays allowed, as where there is no rule. Names of roles hold no quotes. */
function ruleOf(roles: readonly string[], where: string): RuleDefinition {
  const tests = roles.map((role) => `'${role}' in principal.roles`);
  return { language: 'cel', rule: ['principal.superadmin', ...tests].join(' || '), where };
}
