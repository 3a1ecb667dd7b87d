/** `PATCH /auth/webauthn/credentials/{id}`: another name, or whether the passkey is a second factor. */
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { unproven } from '../proof/proven.ts';
import { readBody } from '../read-body.ts';
import { refuse } from '../refusals.ts';
import { ownerOf } from './owner.ts';
import type { passkeyRoutes } from './routes.ts';
import { changeRequest } from './shapes.ts';
import { findPasskey, putPasskey, type PasskeyRecord } from './store.ts';
import { viewOf } from './view.ts';

export function changePasskey(call: Call): Outcome<typeof passkeyRoutes.changePasskey> {
  const body = readBody(call, changeRequest);
  if (!body.ok) return body.refusal;
  const owner = ownerOf(call);
  if (isRefusal(owner)) return owner;
  const turn = call.turn();
  const present = findPasskey(turn, owner.user.id, call.param('id'));
  if (present === undefined) return refuse('unknown_passkey');
  const missing = factorChanges(present, body.value) ? unproven(call, owner.user, owner.principal) : null;
  if (missing !== null) return missing;
  const { name = present.name, second_factor = present.second_factor } = body.value;
  const changed = { ...present, name, second_factor };
  putPasskey(turn, changed);
  call.involve({ data: { passkey: present.id, second_factor } });
  return reply(200, viewOf(turn, changed));
}

/** Whether logins will ask for more or for less than before: with a stolen token that would keep the owner out, or the thief in. A name needs no proof. */
function factorChanges(
  present: PasskeyRecord,
  { second_factor = present.second_factor }: { readonly second_factor?: boolean | undefined },
): boolean {
  return second_factor !== present.second_factor;
}
