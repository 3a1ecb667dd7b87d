/** Authorization on a log: a service whose grant covers its tenant appends, an admin of the tenant reads (docs/contract/audit.md §4.1). */
import type { Call } from '#actors/host/call.ts';
import { admits } from '#actors/kit/admits.ts';
import { bearerToken, type BearerCheck } from '#actors/kit/bearer.ts';
import { PEER_CERTIFICATE } from '#actors/protocol/frame.ts';
import { positionOfLog } from '#actors/protocol/position.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { refuse } from './refusals.ts';
import { isVault, type VaultPeers } from './vault-peers.ts';
import { READERS, WRITERS } from './who.ts';

const VAULT_LOGS = 'vault/';

/** Whether a user's session is alive; the user's tenant is asked. */
export type SessionLives = (principal: Principal) => Promise<boolean>;

/**
 * An audit service that runs alone knows no sessions. A token then counts until it expires, as for any service that knows an issuer only by its
 * keys. An impersonation must be revocable and is refused.
 */
export const livesByToken: SessionLives = ({ actor }) => Promise.resolve(actor === null);

/** The principal of a vault's certificate, or of a valid bearer token of any tenant; 401 for anything else. */
export function authenticate(call: Call, bearers: BearerCheck, vaults: VaultPeers, nowMs: number): Principal | Refusal {
  const vault = vaults.of(call.header(PEER_CERTIFICATE) ?? '', nowMs);
  if (vault !== null) return vault;
  if (bearerToken(call.authorization) === null) return refuse('audit.unauthorized');
  return bearers.verify(call.authorization) ?? refuse('audit.unauthorized');
}

/** 401 where a user's session has ended, or where the user's tenant requires one and the token names none. */
export async function checkSession(
  principal: Principal,
  lives: SessionLives,
): Promise<Refusal<'audit.unauthorized'> | null> {
  if (principal.type !== 'user' || (await lives(principal))) return null;
  return refuse('audit.unauthorized');
}

export function mayAppend(principal: Principal, logId: string): boolean {
  return isOwnKind(principal, logId) && admits(WRITERS, principal, positionOfLog(logId));
}

/** Whether the caller may read a log, or every log under a prefix; a prefix that names no tenant belongs to the control plane. */
export function mayRead(principal: Principal, logId: string): boolean {
  return isOwnKind(principal, logId) && admits(READERS, principal, positionOfLog(logId));
}

/** A vault writes logs of vaults, and reads them to find its last recorded revision. */
function isOwnKind(principal: Principal, logId: string): boolean {
  return !isVault(principal) || logId.startsWith(VAULT_LOGS);
}
