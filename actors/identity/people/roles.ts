/** Which roles a user may be given: words, of the product's catalogue where it has one, within the giver's authority. */
import type { Work } from '#actors/host/work.ts';
import { isOperatorRole, undeclaredRole } from '#config/definitions/roles-section.ts';
import { shown } from '#actors/kit/shown.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { mayAssign } from '../authority.ts';
import { isRole, NO_ROLE } from '../operator/role.ts';
import { refuse } from '../refusals.ts';

export const shownRole = (role: string): string => `"${shown(role)}"`;

/** The refusal of the first new role that cannot be given, or null. Roles that the user has already are not judged again. */
export function refusedRole(
  work: Work,
  caller: Principal,
  roles: readonly string[],
  held: readonly string[] = [],
): Refusal<'undeclared_role' | 'scope_exceeds_authority'> | null {
  const { position, product } = work.activation;
  for (const role of roles.filter((one) => !held.includes(one))) {
    if (!mayAssign(caller, position, role))
      return refuse('scope_exceeds_authority', { message: `roles: ${shownRole(role)} is given by operators only` });
    const why = undeclaredRole(product.settings.roles, role);
    if (why !== null) return refuse('undeclared_role', { message: `roles: ${why}` });
  }
  return null;
}

/** Throws an error for the operator, who may also give operators' roles. Only new roles are judged. */
export function checkRoles(work: Work, roles: readonly string[], held: readonly string[] = []): void {
  for (const role of roles.filter((one) => !held.includes(one))) {
    if (!isRole(role)) throw new Error(`"${role}" is no role: ${NO_ROLE}`);
    const why = isOperatorRole(role) ? null : undeclaredRole(work.activation.product.settings.roles, role);
    if (why !== null) throw new Error(why);
  }
}
