/** `DELETE /auth/admin/keys/{id}` and `POST /auth/admin/keys/revoke`: one key, several, or all that a subject has issued. */
import { limits } from '#config/limits.ts';
import { isUlid } from '#config/values/id.ts';
import type { Call } from '#actors/host/call.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import { isRefusal, type Refusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { tell, type Identity } from '../identity.ts';
import { scanKeys } from '../operator/store.ts';
import { administratorOf } from '../people/administrator.ts';
import { readBody } from '../read-body.ts';
import { refuse } from '../refusals.ts';
import { deleteKey } from '../store.ts';
import type { keyRoutes } from './routes.ts';
import { revokeKeysRequest } from './shapes.ts';

export function revokeOneKey(identity: Identity, call: Call): Outcome<typeof keyRoutes.revokeAdminKey> {
  const caller = administratorOf(call);
  if (isRefusal(caller)) return caller;
  const revoked = revoke(identity, call, caller, [call.param('id')]);
  if (typeof revoked !== 'number') return revoked;
  return revoked === 0 ? refuse('unknown_key') : reply(200, { revoked });
}

export async function revokeKeys(identity: Identity, call: Call): Promise<Outcome<typeof keyRoutes.revokeAdminKeys>> {
  const caller = administratorOf(call);
  if (isRefusal(caller)) return caller;
  const body = readBody(call, revokeKeysRequest);
  if (!body.ok) return body.refusal;
  const { ids, subject } = body.value;
  const revoked =
    ids === undefined
      ? await revokeOfSubject(identity, call, caller, subject!)
      : revoke(identity, call, caller, [...new Set(ids)]);
  return typeof revoked === 'number' ? reply(200, { revoked }) : revoked;
}

/** Looks at every key of the tenant, in turns beside other requests: each commits, so what a stop leaves undone is done by the same call again. */
async function revokeOfSubject(
  identity: Identity,
  call: Call,
  caller: Principal,
  subject: string,
): Promise<number | Refusal<'hook_denied'>> {
  let revoked = 0;
  let after: string | null = null;
  for (;;) {
    const page: { readonly ids: string[]; readonly last: string | null } = keysOf(call, subject, after);
    const done = revoke(identity, call, caller, page.ids);
    if (typeof done !== 'number') return done;
    call.commit();
    revoked += done;
    if (page.last === null) return revoked;
    after = page.last;
    await identity.afterTurn();
    call.nextTurn();
  }
}

function keysOf(call: Call, subject: string, after: string | null): { ids: string[]; last: string | null } {
  const ids: string[] = [];
  let looked = 0;
  let last: string | null = null;
  for (const [id, { created_by }] of scanKeys(call.turn(), after)) {
    if (looked === limits.people.keySliceRows) return { ids, last };
    looked++;
    last = id;
    if (created_by === subject) ids.push(id);
  }
  return { ids, last: null };
}

/** Stages the revocation of the keys that exist; gives how many. */
function revoke(
  identity: Identity,
  call: Call,
  principal: Principal,
  ids: readonly string[],
): number | Refusal<'hook_denied'> {
  const tenant = call.activation.position.key;
  let revoked = 0;
  // Only an id gets into a row's key and the event: a caller may have sent a whole key, whose secret must not be logged.
  for (const keyId of ids.filter(isUlid)) {
    const denied = identity.hooks.run('before_apikey_revoke', { tenant, principal, keyId });
    if (denied !== null) return denied;
    if (!deleteKey(call.turn(), keyId)) continue;
    revoked++;
    tell(identity, call, { ...call.who, action: 'auth.apikey.revoked', target: keyId, data: {} });
  }
  return revoked;
}
