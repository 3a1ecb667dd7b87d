/** `POST /auth/admin/users/{id}/reset-second-factor`: for a user who has lost the app or the key. */
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { tell, type Identity } from '../identity.ts';
import { resetFactors } from '../mfa/factors.ts';
import { userToChange } from './administrator.ts';
import type { peopleRoutes } from './routes.ts';

export function resetSecondFactor(identity: Identity, call: Call): Outcome<typeof peopleRoutes.resetSecondFactor> {
  const named = userToChange(call);
  if (isRefusal(named)) return named;
  const { id } = named.user;
  resetFactors(call.turn(), id);
  tell(identity, call, { ...call.who, action: 'auth.user.changed', target: id, data: { second_factor: 'reset' } });
  return reply(200, { ok: true });
}
