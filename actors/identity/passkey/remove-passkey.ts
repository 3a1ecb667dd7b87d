/** `DELETE /auth/webauthn/credentials/{id}`: the passkey counts no more. The last way to log in cannot be removed. */
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { commitAndTellOwner } from '../account/tell-owner.ts';
import type { Identity } from '../identity.ts';
import { linksReady } from '../oauth/build-links.ts';
import { unproven } from '../proof/proven.ts';
import { refuse } from '../refusals.ts';
import { ownerOf } from './owner.ts';
import type { passkeyRoutes } from './routes.ts';
import { deletePasskey, findPasskey } from './store.ts';
import { waysIn } from './ways-in.ts';

export async function removePasskey(
  identity: Identity,
  call: Call,
): Promise<Outcome<typeof passkeyRoutes.removePasskey>> {
  const first = ownerOf(call);
  if (isRefusal(first)) return first;
  await linksReady(identity, call.activation);
  const turn = call.nextTurn();
  const owner = ownerOf(call);
  if (isRefusal(owner)) return owner;
  const present = findPasskey(turn, owner.user.id, call.param('id'));
  if (present === undefined) return refuse('unknown_passkey');
  call.involve({ data: { passkey: present.id } });
  const missing = unproven(call, owner.user, owner.principal);
  if (missing !== null) return missing;
  if (waysIn(call, owner.user) <= 1) return refuse('last_login_way');
  deletePasskey(turn, present);
  commitAndTellOwner(identity, call, 'passkey_removed', owner.user); // now: until then another turn finds the passkey
  return reply(200, { ok: true });
}
