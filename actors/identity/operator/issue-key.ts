/** `key issue` and `key revoke`: an operator makes a key of any authority, such as the first one with `is_superadmin`, and revokes one. */
import type { z } from 'zod';
import { limits } from '#config/limits.ts';
import type { Work } from '#actors/host/work.ts';
import { commitAndTell, type Identity } from '../identity.ts';
import { newKey } from '../new-key.ts';
import { issueRequest, type Capabilities } from '../shapes.ts';
import { deleteKey, putKey } from '../store.ts';
import { isRole, NO_ROLE } from './role.ts';

export interface IssuedKey {
  readonly id: string;
  /** The only place where the plaintext exists. */
  readonly key: string;
  readonly expires_at: unknown;
  readonly capabilities: Capabilities;
}

/**
 * Issues a key of the work's tenant; the wish has the shape of `POST /auth/apikey`. Nothing is authorized here: a caller that reaches the control
 * socket or the store is the operator. Throws an error for the operator when the wish has another shape.
 */
export function issueOperatorKey(identity: Identity, work: Work, wish: unknown): IssuedKey {
  const { service, capabilities, days } = checked(wish);
  const { context } = work.activation;
  const made = newKey(context, { service, capabilities, expiresInDays: days, createdBy: 'operator' });
  putKey(work.turn(), made.id, made.record);
  const { expiresat, service: tag } = made.record;
  const data = { capabilities, expires_at: expiresat, service: tag };
  commitAndTell(identity, work, { action: 'auth.apikey.issued', actor: 'operator', target: made.id, data });
  return { id: made.id, key: made.key, expires_at: expiresat, capabilities };
}

/** Revokes a key at once. Throws an error for the operator when there is none, so that a mistyped id is noticed. */
export function revokeOperatorKey(
  identity: Identity,
  work: Work,
  { id }: { readonly id: string },
): { revoked: string } {
  if (!deleteKey(work.turn(), id)) throw new Error(`no key ${id} in ${work.activation.position.key}`);
  commitAndTell(identity, work, { action: 'auth.apikey.revoked', actor: 'operator', target: id, data: {} });
  return { revoked: id };
}

interface Checked {
  readonly service: string | null | undefined;
  readonly capabilities: Capabilities;
  readonly days: number | null | undefined;
}

function checked(wish: unknown): Checked {
  const result = issueRequest.safeParse(wish);
  if (!result.success) {
    const issue = result.error.issues[0]!;
    throw new Error(`${issue.path.join('.')}: ${issue.message}`);
  }
  const capabilities = capabilitiesOf(result.data);
  if (Buffer.byteLength(JSON.stringify(capabilities)) > limits.identity.capabilitiesBytesMax)
    throw new Error(`capabilities: larger than ${limits.identity.capabilitiesBytesMax} bytes`);
  const wrong = capabilities.roles?.find((role) => !isRole(role));
  if (wrong !== undefined) throw new Error(`"${wrong}" is no role: ${NO_ROLE}`);
  return { service: result.data.service, capabilities, days: result.data.expires_in_days };
}

/** Only fields that are given are stored. */
function capabilitiesOf({ capabilities }: z.output<typeof issueRequest>): Capabilities {
  const { roles, scope, is_superadmin } = capabilities ?? {};
  return { ...(roles && { roles }), ...(scope && { scope }), ...(is_superadmin === true && { is_superadmin }) };
}
