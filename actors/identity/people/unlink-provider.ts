/** `DELETE /auth/admin/users/{id}/oauth/{provider}`: for a user whose account at a provider is in other hands. */
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { tell, type Identity } from '../identity.ts';
import { linksReady } from '../oauth/build-links.ts';
import { unlink } from '../oauth/unlink.ts';
import { userToChange } from './administrator.ts';
import type { peopleRoutes } from './routes.ts';

export async function unlinkProvider(
  identity: Identity,
  call: Call,
): Promise<Outcome<typeof peopleRoutes.unlinkProvider>> {
  const first = userToChange(call);
  if (isRefusal(first)) return first;
  await linksReady(identity, call.activation);
  call.nextTurn();
  const named = userToChange(call);
  if (isRefusal(named)) return named;
  const { id } = named.user;
  const provider = call.param('provider');
  call.involve({ data: { provider } });
  tell(identity, call, { ...call.who, action: 'auth.user.changed', target: id, data: { unlinked: provider } });
  return unlink(identity, call, named.user, provider) ?? reply(200, { ok: true });
}
