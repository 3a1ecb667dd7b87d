/** `POST /auth/password/reset/confirm`: a new password for the token of a mailed link. */
import type { Call } from '#actors/host/call.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { hashPassword } from '#actors/kit/password.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import type { Identity } from '../identity.ts';
import { shortPassword } from '../password-shape.ts';
import { inactivePlace, missingPlace } from '../place.ts';
import { readBody } from '../read-body.ts';
import { challenge } from '../refusals.ts';
import { findUser, putUser } from '../store.ts';
import { closeSessions } from '../session/follow-session.ts';
import { endFamilies } from './end-login.ts';
import { showOneTime } from './one-time-token.ts';
import type { userRoutes } from './routes.ts';
import { confirmRequest } from './shapes.ts';
import { deleteOneTime } from './store.ts';

const REASON = 'password_reset';

type Result = Outcome<typeof userRoutes.confirmReset>;

/** Checks the token again after hashing, in the turn that spends it, so that one of two requests at once wins. Every login of the user ends. */
export async function confirmReset(identity: Identity, call: Call): Promise<Result> {
  const body = readBody(call, confirmRequest);
  if (!body.ok) return body.refusal;
  const nowhere = missingPlace(call) ?? inactivePlace(call);
  if (nowhere !== null) return nowhere;
  const { token, password } = body.value;
  const { clock } = identity.context;
  if (showOneTime(call.turn(), 'reset', token, clock.now()) === null) return challenge('invalid_one_time_token');
  const short = shortPassword(call.activation, password);
  if (short !== null) return short;
  const password_hash = await hashPassword(password);
  const turn = call.nextTurn();
  const id = showOneTime(turn, 'reset', token, clock.now());
  const user = id === null ? undefined : findUser(turn, id);
  if (user === undefined || user.disabled_at !== undefined) return challenge('invalid_one_time_token');
  call.involve({ actor: user.id, target: user.id, email: user.email });
  putUser(turn, { ...user, password_hash, verified_at: user.verified_at ?? timestamp(clock.now()) });
  // An open magic link or code was requested under the old password: it ends, too.
  deleteOneTime(turn, 'reset', user.id);
  deleteOneTime(turn, 'magic_link', user.id);
  deleteOneTime(turn, 'code', user.id);
  endFamilies(identity, call, user.id, null, REASON);
  closeSessions(identity, call, user.id, REASON);
  // Commit now: until then another turn does not see that the token is spent.
  call.commit();
  return reply(200, { ok: true });
}
