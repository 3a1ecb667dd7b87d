/** `DELETE /auth/apikey/{id}`. Spec: docs/contract/identity.md §5.2. */
import type { Call } from '#actors/host/call.ts';
import { admits } from '#actors/kit/admits.ts';
import { isUlid } from '#config/values/id.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { principalOf, type Identity } from './identity.ts';
import { missingPlace } from './place.ts';
import { refuse } from './refusals.ts';
import type { routes } from './routes.ts';
import { deleteKey } from './store.ts';

type Result = Outcome<typeof routes.revokeKey>;

/** Any principal of the tenant may revoke; an unknown id, another user's key and a failed delete all answer ok, as the contract says. */
export function revokeKey(identity: Identity, call: Call): Result {
  const keyId = call.param('id');
  if (keyId === '') return refuse('missing_id');
  const missing = missingPlace(call);
  if (missing !== null) return missing;
  if (!admits(call.route.row.callers, principalOf(call), call.activation.position))
    return refuse('impersonation_denied');
  const tenant = call.activation.position.key;
  const denied = identity.hooks.run('before_apikey_revoke', { tenant, principal: principalOf(call), keyId });
  if (denied !== null) return denied;
  identity.emit(call, 'auth.apikey.revoked', targetOf(keyId), remove(call, keyId));
  return reply(200, { ok: true });
}

/** Only an id gets into the event: a caller may have sent a whole key, whose secret must not be logged. */
const targetOf = (keyId: string): string => (isUlid(keyId) ? keyId : '');

/** Commits here, because the answer is ok even when the store fails; log and event have the real outcome. */
function remove(call: Call, keyId: string): 'ok' | 'unknown' | 'persist_failed' {
  if (!isUlid(keyId)) return 'unknown';
  try {
    const known = deleteKey(call.turn(), keyId);
    call.commit();
    return known ? 'ok' : 'unknown';
  } catch (error) {
    call.abort();
    call.activation.context.log.error(
      { service: 'identity', keyId, error: String(error) },
      'the key is still valid: its row could not be deleted, and the caller got ok; revoke it again',
    );
    return 'persist_failed';
  }
}
