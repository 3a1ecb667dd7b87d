/** `POST /auth/admin/users/{id}/erase`. */
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { RETRY_SOON } from '#actors/protocol/retry-after.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { erasureReady } from '../account/erase-user.ts';
import type { Identity } from '../identity.ts';
import { userToChange } from '../people/administrator.ts';
import { indexReady } from '../people/build-index.ts';
import { lastAdministrator } from '../people/change-user.ts';
import { refuse } from '../refusals.ts';
import { kickErasures } from './erasures.ts';
import { viewOf } from './list-erasures.ts';
import { mayOrder, stageOrder } from './order.ts';
import type { privacyRoutes } from './routes.ts';
import { findErasure } from './store.ts';

/** The account ends in the commit of the order; the answer comes before the rest is done. */
export async function eraseUser(identity: Identity, call: Call): Promise<Outcome<typeof privacyRoutes.eraseUser>> {
  const first = userToChange(call);
  if (isRefusal(first)) return first;
  await erasureReady(identity, call, indexReady(identity, call.activation));
  const present = userToChange(call);
  if (isRefusal(present)) return present;
  const last = lastAdministrator(call, present.user, undefined);
  if (last !== null) return last;
  if (!mayOrder(call)) return refuse('erasures_full', { headers: RETRY_SOON });
  const id = stageOrder(identity, call, { ...call.who }, present.user, 'erased');
  const order = findErasure(call.turn(), id)!;
  call.commit();
  kickErasures(identity, call.activation);
  return reply(202, viewOf(order));
}
