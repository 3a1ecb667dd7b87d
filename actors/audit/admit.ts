/** Who may do what with a log: a service whose grant covers its tenant appends, an admin of the tenant reads (decisions.md "Audit"). */
import type { Call } from '#actors/host/call.ts';
import type { BearerCheck } from '#actors/kit/bearer.ts';
import { bearerToken } from '#actors/kit/bearer.ts';
import { grantCovers, parseGrant } from '#actors/kit/grant.ts';
import { PEER_CERTIFICATE } from '#actors/protocol/frame.ts';
import type { Position } from '#actors/protocol/position.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import { isAtOrOver } from '#actors/protocol/reach.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { positionOf } from './log-id.ts';
import { refuse } from './refusals.ts';
import { isVault } from './vault-peers.ts';
import type { VaultPeers } from './vault-peers.ts';

const ADMIN = 'tenant_admin';
const VAULT_LOGS = 'vault/';
const WIDEST = { customer: '*', env: '*', product: '*', tenant: '*' } as const;

/** Whether a user's session lives; asked of his tenant. */
export type SessionLives = (principal: Principal) => Promise<boolean>;

/**
 * Where audit runs alone it knows no sessions: a token then counts until it expires, as for any service that knows an issuer
 * by its keys only; but who acts for another must be revocable, and is refused.
 */
export const livesByToken: SessionLives = ({ actor }) => Promise.resolve(actor === null);

const unauthorized = (): Refusal<'audit.unauthorized'> =>
  refuse('audit.unauthorized', { headers: { 'WWW-Authenticate': 'Bearer' } });

/** The principal of a vault's certificate, or of a valid bearer token, whatever its tenant; 401 for anything else. */
export function authenticate(call: Call, bearers: BearerCheck, vaults: VaultPeers, nowMs: number): Principal | Refusal {
  const vault = vaults.of(call.header(PEER_CERTIFICATE) ?? '', nowMs);
  if (vault !== null) return vault;
  if (bearerToken(call.authorization) === null) return unauthorized();
  return bearers.verify(call.authorization) ?? unauthorized();
}

/** 401 where a user's session has ended, or where his tenant wants one and the token names none. */
export async function checkSession(
  principal: Principal,
  lives: SessionLives,
): Promise<Refusal<'audit.unauthorized'> | null> {
  if (principal.type !== 'user' || (await lives(principal))) return null;
  return unauthorized();
}

export function mayAppend(principal: Principal, logId: string): boolean {
  if (isVault(principal)) return logId.startsWith(VAULT_LOGS);
  return principal.type === 'service' && covers(principal.scope, positionOf(logId));
}

/**
 * A tenant's log is for its administrators and for superadmins of a plane over it; logs of the node and of vaults are for the control
 * plane's superadmins. A vault reads those of vaults, to know how far its store had come.
 */
export function mayRead(principal: Principal, logId: string): boolean {
  if (isVault(principal)) return logId.startsWith(VAULT_LOGS);
  const position = positionOf(logId);
  if (principal.superadmin && principal.actor === null && isAtOrOver(principal.tenant, position)) return true;
  return (
    principal.type === 'user' &&
    position !== null &&
    principal.tenant === position.key &&
    principal.roles.includes(ADMIN)
  );
}

/** Whether a grant covers the position; a log without one needs the widest. */
function covers(scope: readonly string[], position: Position | null): boolean {
  return scope.some((text) => {
    const grant = parseGrant(text);
    return grant !== null && grantCovers(grant, position ?? WIDEST);
  });
}
