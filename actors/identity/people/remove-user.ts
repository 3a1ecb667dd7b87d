/** `DELETE /auth/admin/users/{id}`. */
import type { Call } from '#actors/host/call.ts';
import type { Work } from '#actors/host/work.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply } from '#actors/protocol/route.ts';
import type { Outcome } from '#actors/protocol/route.ts';
import { tell } from '../identity.ts';
import type { Identity } from '../identity.ts';
import { deleteTotp } from '../mfa/store.ts';
import { deleteUser } from '../store.ts';
import type { UserRecord } from '../store.ts';
import { deleteFamily, readFamilies } from '../user/store.ts';
import { userToChange } from './administrator.ts';
import { indexReady } from './build-index.ts';
import { lastAdministrator } from './change-user.ts';
import { endAccess } from './end-access.ts';
import type { peopleRoutes } from './routes.ts';
import type { By } from './stage-change.ts';

export async function removeUser(identity: Identity, call: Call): Promise<Outcome<typeof peopleRoutes.removeUser>> {
  const first = userToChange(call);
  if (isRefusal(first)) return first;
  const pending = indexReady(identity, call.activation);
  if (pending !== null) {
    call.abort();
    await pending;
  }
  const present = userToChange(call);
  if (isRefusal(present)) return present;
  const last = lastAdministrator(call, present.user, undefined);
  if (last !== null) return last;
  stageRemoval(identity, call, { ...call.who }, present.user);
  call.commit(); // as in change-user.ts
  return reply(200, { ok: true });
}

/** Stages the end of a user: logins, links, second factor, the rows. Keys that the user issued stay: they belong to what uses them. */
export function stageRemoval(identity: Identity, work: Work, by: By, user: UserRecord): void {
  endAccess(identity, work, user.id, 'removed');
  const turn = work.turn();
  for (const family of readFamilies(turn, user.id)) deleteFamily(turn, family);
  deleteTotp(turn, user.id);
  deleteUser(turn, user);
  tell(identity, work, { ...by, action: 'auth.user.removed', target: user.id, data: { roles: user.roles } });
}
