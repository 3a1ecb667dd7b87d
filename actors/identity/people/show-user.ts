/** `GET /auth/admin/users/{id}`. */
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply } from '#actors/protocol/route.ts';
import type { Outcome } from '#actors/protocol/route.ts';
import { hasSecondFactor } from '../mfa/factors.ts';
import { administratorOf, userNamed } from './administrator.ts';
import type { peopleRoutes } from './routes.ts';
import { viewOf } from './view.ts';

export function showUser(call: Call): Outcome<typeof peopleRoutes.showUser> {
  const caller = administratorOf(call);
  if (isRefusal(caller)) return caller;
  const named = userNamed(call);
  if (isRefusal(named)) return named;
  const second_factor = hasSecondFactor(call.turn(), named.user.id);
  return reply(200, { ...viewOf(named.user), second_factor });
}
