/** `run_as: <role>`: a script that acts with the rights of one role, whichever caller causes it. Source: docs/contract/data-behaviour.md §4. */
import * as kit from '../schema-kit.ts';
import { problemAt, type Problem } from '../problem.ts';
import { suggestion } from '#config/values/suggest.ts';
import type { Tree } from '../tree.ts';
import { isOperatorRole, type RoleCatalogue, type RoleFault } from './roles-section.ts';

/** Names that administrators have, in any case of letters, and the node's own. */
const NEVER: ReadonlySet<string> = new Set(['admin', 'tenant_admin', 'internal']);

/** The form of the key. */
export const runAs = () => kit.text('a role of the catalogue', 'dispatcher').optional();

/** Why nothing may run as a role: it is not in the catalogue, or administers. Null where it may. */
export function runAsFault(role: string, catalogue: RoleCatalogue = {}): RoleFault | null {
  if (isOperatorRole(role) || NEVER.has(role.toLowerCase()))
    return { message: `nothing runs as "${role}"`, mend: 'name a role that the product declares under `roles`' };
  if (Object.hasOwn(catalogue, role)) return null;
  const known = Object.keys(catalogue).filter((name) => !NEVER.has(name));
  const mend = known.length === 0 ? 'declare it under `roles` of product.yaml' : suggestion(role, known);
  return { message: `the catalogue of the product has no role "${role}"`, mend };
}

interface Running {
  readonly run_as?: string | undefined;
  /** Absent where callers are not asked who they are, as in a stateflow. */
  readonly auth?: string;
  readonly public_run_as?: boolean | undefined;
}

/** Every fault of the keys of one file. */
export function runAsProblems(
  { run_as: role, auth, public_run_as: isOpen = false }: Running,
  tree: Tree,
  catalogue: RoleCatalogue | undefined,
): Problem[] {
  const say = (key: string, message: string, mend: string): Problem[] => [
    problemAt(tree.placeOf([key], 'value'), [key], message, mend),
  ];
  const needed = role !== undefined && auth === 'public';
  if (isOpen && !needed)
    return say('public_run_as', 'it is for endpoints with `auth: public` and `run_as`', 'remove it');
  if (role === undefined) return [];
  const fault = runAsFault(role, catalogue);
  if (fault !== null) return say('run_as', fault.message, fault.mend);
  if (!needed || isOpen) return [];
  const mend = 'write `public_run_as: true` beside it if that is what you want, or another `auth`';
  return say('run_as', `everyone could do what ${role} may: the endpoint is public`, mend);
}
