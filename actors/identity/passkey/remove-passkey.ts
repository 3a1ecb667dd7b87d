/** `DELETE /auth/webauthn/credentials/{id}`: the passkey counts no more. The last way to log in cannot be removed. */
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply } from '#actors/protocol/route.ts';
import type { Outcome } from '#actors/protocol/route.ts';
import { refuse } from '../refusals.ts';
import { ownerOf } from './owner.ts';
import type { passkeyRoutes } from './routes.ts';
import { deletePasskey, findPasskey } from './store.ts';
import { waysIn } from './ways-in.ts';

export function removePasskey(call: Call): Outcome<typeof passkeyRoutes.removePasskey> {
  const owner = ownerOf(call);
  if (isRefusal(owner)) return owner;
  const turn = call.turn();
  const present = findPasskey(turn, owner.user.id, call.param('id'));
  if (present === undefined) return refuse('unknown_passkey');
  call.involve({ data: { passkey: present.id } });
  if (waysIn(call, owner.user) <= 1) return refuse('last_login_way');
  deletePasskey(turn, present);
  return reply(200, { ok: true });
}
