/** `DELETE /auth/me`: a user deletes the own account; the last administrator of a tenant makes another one first. What other services hold goes afterwards (../privacy/). */
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import type { Identity } from '../identity.ts';
import { lastAdministrator } from '../people/change-user.ts';
import { indexReady } from '../people/build-index.ts';
import { administers } from '../people/store.ts';
import { kickErasures } from '../privacy/erasures.ts';
import { mayOrder, stageOrder } from '../privacy/order.ts';
import { readBody } from '../read-body.ts';
import { busy } from '../refusals.ts';
import type { UserRecord } from '../store.ts';
import { erasureReady } from './erase-user.ts';
import type { meRoutes } from './me-routes.ts';
import { ownAccount } from './own-account.ts';
import { provePassword } from './prove-password.ts';
import { deleteMeRequest } from './shapes.ts';

export async function deleteMe(identity: Identity, call: Call): Promise<Outcome<typeof meRoutes.deleteMe>> {
  const own = ownAccount(call);
  if (isRefusal(own)) return own;
  // A guest has no password, and no account that a stolen token could end.
  if (own.user.guest === true) return erase(identity, call, own.user);
  const body = readBody(call, deleteMeRequest);
  if (!body.ok) return body.refusal;
  // Others that administer are found by an index, too.
  await erasureReady(identity, call, administers(own.user) ? indexReady(identity, call.activation) : null);
  const proven = await provePassword(identity, call, own.user, body.value.password);
  if (isRefusal(proven)) return proven;
  const last = lastAdministrator(call, proven, undefined);
  if (last !== null) return last;
  return erase(identity, call, proven);
}

function erase(identity: Identity, call: Call, user: UserRecord): Outcome<typeof meRoutes.deleteMe> {
  call.involve({ data: { roles: user.roles } });
  if (!mayOrder(call)) return busy();
  stageOrder(identity, call, { ...call.who }, user, 'account_deleted');
  call.commit(); // now: until then another turn finds the user
  kickErasures(identity, call.activation);
  return reply(200, { ok: true });
}
