/** `DELETE /auth/me/oauth/{provider}`. Logins that were made with the account go on: the user ends them among the own sessions. */
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { ownAccount } from '../account/own-account.ts';
import type { Identity } from '../identity.ts';
import { unproven } from '../proof/proven.ts';
import { linksReady } from './build-links.ts';
import type { linkRoutes } from './link-routes.ts';
import { unlink } from './unlink.ts';

export async function removeIdentity(
  identity: Identity,
  call: Call,
): Promise<Outcome<typeof linkRoutes.removeIdentity>> {
  const first = ownAccount(call);
  if (isRefusal(first)) return first;
  const missing = unproven(call, first.user, first.principal);
  if (missing !== null) return missing;
  const provider = call.param('provider');
  call.involve({ data: { provider } });
  await linksReady(identity, call.activation);
  call.nextTurn();
  const own = ownAccount(call);
  if (isRefusal(own)) return own;
  return unlink(identity, call, own.user, provider) ?? reply(200, { ok: true });
}
