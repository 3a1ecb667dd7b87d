/** Grants of impersonation: rows of the control plane that operators' verbs manage. Spec: docs/contract/identity-users.md §7.3. */
import type { Work } from '#actors/host/work.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { instantMs } from '#config/values/instant.ts';
import { isPlane, parsePosition } from '#actors/protocol/position.ts';
import { commitAndTell, type Identity } from '../identity.ts';
import { findLogin, findUser } from '../store.ts';
import { deleteGrant, findGrant, findKey, putGrant, scanGrants, type GrantRecord } from './store.ts';

export interface GrantWish {
  readonly operator: string;
  readonly tenant: string;
  readonly granted_by: string;
  readonly for_ms: number;
}

type GrantId = Pick<GrantWish, 'operator' | 'tenant'>;

/** Writes a grant, in place of an earlier one. Throws an error for the operator when the key is no tenant's, or that of a plane. */
export function grant(
  identity: Identity,
  work: Work,
  { operator, tenant, granted_by, for_ms }: GrantWish,
): GrantRecord {
  const position = parsePosition(tenant);
  if (position === null || isPlane(position))
    throw new Error(`${tenant} is not the key of a tenant with users to impersonate`);
  const expires_at = timestamp(work.activation.context.clock.now() + for_ms);
  const record: GrantRecord = { operator, tenant, granted_by, expires_at };
  putGrant(work.turn(), record);
  const data = { tenant, expires_at };
  commitAndTell(identity, work, { action: 'auth.impersonation.granted', actor: granted_by, target: operator, data });
  return record;
}

/** Prevents further impersonations; open ones end by `POST /internal/session/revoke` or when they expire. */
export function revokeGrant(identity: Identity, work: Work, { operator, tenant }: GrantId): { revoked: boolean } {
  const revoked = findGrant(work.turn(), operator, tenant) !== undefined;
  if (!revoked) return { revoked };
  deleteGrant(work.turn(), operator, tenant);
  const action = 'auth.impersonation.grant_revoked';
  commitAndTell(identity, work, { action, actor: 'operator', target: operator, data: { tenant } });
  return { revoked };
}

/** Every grant with its state. */
export function listGrants(work: Work): readonly (GrantRecord & { readonly state: 'valid' | 'expired' })[] {
  const now = work.activation.context.clock.now();
  return [...scanGrants(work.turn())].map((record) => ({
    ...record,
    state: counts(record, now) ? 'valid' : 'expired',
  }));
}

/** The grant that an operator has in a tenant now, or null. */
export function currentGrant(work: Work, { operator, tenant }: GrantId): GrantRecord | null {
  const record = findGrant(work.turn(), operator, tenant);
  return record !== undefined && counts(record, work.activation.context.clock.now()) ? record : null;
}

/** An expiry that cannot be read is NaN: the grant counts as expired. */
function counts({ expires_at }: GrantRecord, nowMs: number): boolean {
  return nowMs < instantMs(expires_at);
}

/** An operator of the work's plane by user id, login or key id; null when there is none. */
export function findOperator(work: Work, { operator }: { readonly operator: string }): { id: string } | null {
  const turn = work.turn();
  const id = findUser(turn, operator)?.id ?? findLogin(turn, operator);
  if (id !== undefined) return { id };
  return findKey(turn, operator) === undefined ? null : { id: operator };
}
