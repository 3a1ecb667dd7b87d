/** Which roles an administrator may give to a person of the tenant. */
import { isOperatorRole, undeclaredRole } from '#config/definitions/roles-section.ts';
import type { Call } from '#actors/host/call.ts';
import type { Work } from '#actors/host/work.ts';
import { isRole, NO_ROLE } from '../operator/role.ts';
import { findUser, keyOrDecoy, type Reader } from '../store.ts';
import { instantMs } from '#config/values/instant.ts';
import type { AccountRequest, Issuer } from './store.ts';

/** What an administrator of the tenant is called. */
export const ADMINISTRATORS = ['tenant_admin', 'superadmin'] as const;

/**
 * Null when an administrator may confer the roles, else a message. A product that declares its roles has no others. A role without a rung of authority.ts means only what the product's rules
 * make of it, and the rungs of a tenant reach no farther than its administrator; an operator's role is never given by an invitation.
 */
export function refusedRole({ activation }: Work, roles: readonly string[]): string | null {
  const reserved = roles.find(isOperatorRole);
  if (reserved !== undefined) return `roles: "${reserved}" is a role of operators`;
  const wrong = roles.find((role) => !isRole(role));
  if (wrong !== undefined) return `roles: "${wrong}" is no role: ${NO_ROLE}`;
  const undeclared = roles
    .map((role) => undeclaredRole(activation.product.settings.roles, role))
    .find((why) => why !== null);
  return undeclared === undefined ? null : `roles: ${undeclared}`;
}

/** Whether who invited is still an administrator: an invitation must not outlive the authority that made it. */
export function mayStillConfer(call: Call, { by, roles }: AccountRequest): boolean {
  return by !== null && refusedRole(call, roles) === null && isAdministrator(call.turn(), by, call.now);
}

function isAdministrator(reader: Reader, { type, id }: Issuer, nowMs: number): boolean {
  const user = type === 'user' ? findUser(reader, id) : undefined;
  if (type === 'user') return user?.disabled_at === undefined && holdsOne(user?.roles ?? []);
  const { expiresat, capabilities } = keyOrDecoy(reader, id);
  return nowMs < instantMs(expiresat) && (capabilities.is_superadmin === true || holdsOne(capabilities.roles ?? []));
}

const holdsOne = (roles: readonly string[]): boolean => ADMINISTRATORS.some((role) => roles.includes(role));
