/** Whether a route's row admits a principal: the one place that evaluates the declaration (actors/protocol/callers.ts). Pure. */
import type { Callers, CertificateRole, Place, Rule } from '#actors/protocol/callers.ts';
import { CONTROL_PLANE, operatorPlaneOf, type Position } from '#actors/protocol/position.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import { isAtOrOver, isPlaneOver } from '#actors/protocol/reach.ts';
import { grantCovers, parseGrant } from './grant.ts';

/** What a grant must cover when a request is about the node itself. */
const WIDEST = { customer: '*', env: '*', product: '*', tenant: '*' } as const;

/**
 * `target` is the tenant that path or body names, null for none (the node itself, or a malformed name). Whether a bearer or a key counts at
 * the position of the headers was checked when it was verified.
 */
export function admits(callers: Callers, principal: Principal | null, target: Position | null): boolean {
  if (callers.unread) return true;
  if (principal === null) return callers.anonymous;
  switch (principal.type) {
    case 'user':
      return callers.users.some((rule) => passes(rule, principal, target));
    case 'key':
      return callers.keys !== null && passes(callers.keys, principal, target);
    case 'service':
      return (
        callers.service === 'here' ||
        callers.service === 'anywhere' ||
        (callers.service === 'at' && covers(principal.scope, target))
      );
    case 'static':
      return callers.static.length > 0;
    case 'certificate':
      return callers.certificates.includes(principal.roles[0] as CertificateRole);
    case 'anonymous':
      return callers.anonymous;
    case 'internal':
      return true;
  }
}

function passes(rule: Rule, principal: Principal, target: Position | null): boolean {
  if (principal.actor !== null && !bears(rule, principal)) return false;
  if (rule.scoped && principal.scope.length === 0) return false;
  return isFrom(rule.from, principal.tenant, target) && holds(rule, principal);
}

/** Whether an impersonation counts as its user. */
function bears({ impersonation }: Rule, { readonly }: Principal): boolean {
  return impersonation === 'readonly' || (impersonation === 'full' && !readonly);
}

function holds({ roles, anyCase }: Rule, { roles: held, superadmin }: Principal): boolean {
  if (roles === null || (superadmin && roles.includes('superadmin'))) return true;
  return held.some((role) => roles.includes(anyCase ? role.toLowerCase() : role));
}

function isFrom(place: Place, home: string, target: Position | null): boolean {
  switch (place) {
    case 'here':
    case 'anywhere':
      return true;
    case 'at':
      return home === target?.key;
    case 'at or over':
      return isAtOrOver(home, target);
    case 'over':
      return isPlaneOver(home, target);
    case 'plane':
      return target !== null && home === operatorPlaneOf(target);
    case 'control':
      return home === CONTROL_PLANE;
  }
}

/** Whether a grant covers the position; without a position only the widest grant does. */
function covers(scope: readonly string[], target: Position | null): boolean {
  return scope.some((text) => {
    const grant = parseGrant(text);
    return grant !== null && grantCovers(grant, target ?? WIDEST);
  });
}
