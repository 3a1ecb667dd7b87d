/** `POST /auth/me/oauth/{provider}/link`: the URL at which a user who is logged in shows the account to link. */
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { ownAccount } from '../account/own-account.ts';
import { closedSignUp } from '../account/rules.ts';
import type { Identity } from '../identity.ts';
import { unproven } from '../proof/proven.ts';
import { readBody } from '../read-body.ts';
import { refuse } from '../refusals.ts';
import { authorizationUrl } from './authorize.ts';
import { linksReady } from './build-links.ts';
import type { linkRoutes } from './link-routes.ts';
import { providerOf } from './provider-of.ts';
import type { Providers } from './providers.ts';
import { returnAddress } from './return-address.ts';
import { startLinkRequest } from './shapes.ts';
import { readLinks } from './store.ts';

type Result = Outcome<typeof linkRoutes.startLink>;

/** The proof is asked for here: the state that it gives counts ten minutes, once, for this user in this session alone. */
export async function startLink(identity: Identity, providers: Providers, call: Call): Promise<Result> {
  const own = ownAccount(call);
  if (isRefusal(own)) return own;
  const declared = providerOf(call);
  if (isRefusal(declared)) return declared;
  const body = readBody(call, startLinkRequest, true);
  if (!body.ok) return body.refusal;
  const { user, principal } = own;
  // A guest has nothing to prove with: what a token of one reaches here it reaches by an upgrade, too.
  const missing = user.guest === true ? closedSignUp(own.rules.accounts) : unproven(call, user, principal);
  if (missing !== null) return missing;
  const wanted = body.value.redirect_uri ?? null;
  const address = returnAddress(declared.provider, wanted === null ? [] : [wanted]);
  if (isRefusal(address)) return address;
  await linksReady(identity, call.activation);
  if (readLinks(call.nextTurn(), user.id).some(({ key }) => key.provider === declared.name))
    return refuse('provider_linked');
  call.involve({ data: { provider: declared.name } });
  const url = await authorizationUrl(providers, call, declared, address, { user: user.id, sid: principal.sid });
  return isRefusal(url) ? url : reply(200, { authorization_url: url.href }, { 'Cache-Control': 'no-store' });
}
