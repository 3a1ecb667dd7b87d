/** `POST /auth/me/password`. */
import type { z } from 'zod';
import type { Call } from '#actors/host/call.ts';
import { hashPassword } from '#actors/kit/password.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import type { Identity } from '../identity.ts';
import { shortPassword } from '../password-shape.ts';
import { readBody } from '../read-body.ts';
import { challenge } from '../refusals.ts';
import { closeOtherSessions, presentSid } from '../session/follow-session.ts';
import { findUser, putUser } from '../store.ts';
import { endFamily } from '../user/end-login.ts';
import { showToken } from '../user/refresh.ts';
import { deleteOneTime, readFamilies } from '../user/store.ts';
import type { meRoutes } from './me-routes.ts';
import { ownAccount, type Own } from './own-account.ts';
import { provePassword } from './prove-password.ts';
import { passwordRequest } from './shapes.ts';
import { commitAndTellOwner } from './tell-owner.ts';

type Result = Outcome<typeof meRoutes.changePassword>;

const REASON = 'password_changed';

/** Checks the new password before the present one, so that a refused wish spends no try. */
export async function changePassword(identity: Identity, call: Call): Promise<Result> {
  const own = ownAccount(call);
  if (isRefusal(own)) return own;
  const body = readBody(call, passwordRequest);
  if (!body.ok) return body.refusal;
  const short = shortPassword(call.activation, body.value.password);
  if (short !== null) return short;
  const proven = await provePassword(identity, call, own.user, body.value.current);
  if (isRefusal(proven)) return proven;
  const password_hash = await hashPassword(body.value.password);
  // The user may have changed during the await: the password must still be the one that was proven.
  const user = findUser(call.nextTurn(), proven.id);
  if (user === undefined || user.password_hash !== proven.password_hash) return challenge('invalid_credentials');
  putUser(call.turn(), { ...user, password_hash });
  endOthers(identity, call, own, body.value);
  commitAndTellOwner(identity, call, 'password_changed', user);
  return reply(200, { ok: true });
}

/**
 * Ends every login but this one, and the open links. The token names its session; without one it does not say to which login it belongs, so in a
 * stateless tenant the body's refresh token does, or every login ends.
 */
function endOthers(
  identity: Identity,
  call: Call,
  { principal: { sid }, user }: Own,
  { refresh_token }: z.output<typeof passwordRequest>,
): void {
  const turn = call.turn();
  deleteOneTime(turn, 'reset', user.id);
  deleteOneTime(turn, 'magic_link', user.id);
  deleteOneTime(turn, 'code', user.id);
  const kept =
    sid === null && typeof refresh_token === 'string' ? showToken(turn, refresh_token)?.family.id : undefined;
  for (const family of readFamilies(turn, user.id)) {
    const isOwn = sid !== null && family.sid !== null && presentSid(call, family.sid) === sid;
    if (!isOwn && family.id !== kept) endFamily(identity, call, family, REASON);
  }
  closeOtherSessions(identity, call, user.id, sid, REASON);
}
