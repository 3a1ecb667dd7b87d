/** `DELETE /auth/admin/users/{id}`. */
import type { Call } from '#actors/host/call.ts';
import type { Work } from '#actors/host/work.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { erasureReady, stageErasure } from '../account/erase-user.ts';
import { tell, type Identity } from '../identity.ts';
import type { UserRecord } from '../store.ts';
import { userToChange } from './administrator.ts';
import { indexReady } from './build-index.ts';
import { lastAdministrator } from './change-user.ts';
import type { peopleRoutes } from './routes.ts';
import type { By } from './stage-change.ts';

export async function removeUser(identity: Identity, call: Call): Promise<Outcome<typeof peopleRoutes.removeUser>> {
  const first = userToChange(call);
  if (isRefusal(first)) return first;
  await erasureReady(identity, call, indexReady(identity, call.activation));
  const present = userToChange(call);
  if (isRefusal(present)) return present;
  const last = lastAdministrator(call, present.user, undefined);
  if (last !== null) return last;
  stageRemoval(identity, call, { ...call.who }, present.user);
  call.commit(); // as in change-user.ts
  return reply(200, { ok: true });
}

/** Stages the end of a user and its event. */
export function stageRemoval(identity: Identity, work: Work, by: By, user: UserRecord): void {
  stageErasure(identity, work, user, 'removed');
  tell(identity, work, { ...by, action: 'auth.user.removed', target: user.id, data: { roles: user.roles } });
}
