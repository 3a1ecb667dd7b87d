/** `POST /auth/me/email/confirm`: who holds the link to the new address logs in with it from now on. */
import type { Call } from '#actors/host/call.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import type { Identity } from '../identity.ts';
import { inactivePlace, missingPlace } from '../place.ts';
import { readBody } from '../read-body.ts';
import { challenge, refuse } from '../refusals.ts';
import { findLogin, findUser, putUser } from '../store.ts';
import { showOneTime } from '../user/one-time-token.ts';
import { deleteOneTime } from '../user/store.ts';
import type { meRoutes } from './me-routes.ts';
import { accountsOf, foreignDomain } from './rules.ts';
import { emailTokenRequest } from './shapes.ts';
import { deleteChange, findRequest } from './store.ts';
import { commitAndTellOwner } from './tell-owner.ts';

type Result = Outcome<typeof meRoutes.confirmEmail>;

/** Links that went to the old address end; the old address gets the news. */
export function confirmEmail(identity: Identity, call: Call): Result {
  const body = readBody(call, emailTokenRequest);
  if (!body.ok) return body.refusal;
  const nowhere = missingPlace(call) ?? inactivePlace(call);
  if (nowhere !== null) return nowhere;
  const rules = accountsOf(call.activation);
  if (isRefusal(rules)) return rules;
  const turn = call.turn();
  const now = identity.context.clock.now();
  const id = showOneTime(turn, 'email_change', body.value.token, now) ?? '';
  const user = findUser(turn, id);
  const wish = findRequest(turn, 'email_change', id);
  if (user === undefined || user.disabled_at !== undefined || wish === undefined)
    return challenge('invalid_one_time_token');
  const { email } = wish;
  call.involve({ actor: user.id, target: user.id, email });
  const foreign = foreignDomain(rules.accounts, email);
  if (foreign !== null) return foreign;
  const owner = findLogin(turn, email);
  if (owner !== undefined && owner !== user.id) return refuse('login_taken');
  putUser(turn, { ...user, email, verified_at: timestamp(now) });
  deleteChange(turn, user.id);
  for (const kind of ['email_change', 'reset', 'magic_link', 'code'] as const) deleteOneTime(turn, kind, user.id);
  commitAndTellOwner(identity, call, 'email_changed', user);
  return reply(200, { ok: true });
}
