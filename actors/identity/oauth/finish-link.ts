/**
 * `POST /auth/me/oauth/{provider}/callback`: what the provider gave to the product's page links the account there to the user. The state is bound to the user
 * and the session that began: a page that another person's browser was led to links nothing (RFC 6749 §10.12). No address decides: neither one that is
 * verified nor one that is not makes two people one. Of a guest it makes an account (guest-becomes.ts).
 */
import type { Call } from '#actors/host/call.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { ownAccount, type Own, type OwnUser } from '../account/own-account.ts';
import { commitAndTellOwner } from '../account/tell-owner.ts';
import type { Identity } from '../identity.ts';
import { readBody } from '../read-body.ts';
import { challenge, refuse } from '../refusals.ts';
import { presentSid } from '../session/follow-session.ts';
import { findUser } from '../store.ts';
import { askProvider } from './ask-provider.ts';
import { linksReady } from './build-links.ts';
import type { Vouched } from './exchange-code.ts';
import { guestBecomes } from './guest-becomes.ts';
import type { linkRoutes } from './link-routes.ts';
import { viewOf } from './list-identities.ts';
import { providerOf } from './provider-of.ts';
import type { Providers } from './providers.ts';
import { finishLinkRequest } from './shapes.ts';
import { peekState, takeState } from './states.ts';
import { findLink, putLink, readLinks, type Linker, type LinkRecord } from './store.ts';

type Result = Outcome<typeof linkRoutes.finishLink>;

export async function finishLink(identity: Identity, providers: Providers, call: Call): Promise<Result> {
  const own = ownAccount(call);
  if (isRefusal(own)) return own;
  const declared = providerOf(call);
  if (isRefusal(declared)) return declared;
  const body = readBody(call, finishLinkRequest);
  if (!body.ok) return body.refusal;
  const { code, state, iss = null } = body.value;
  const { name } = declared;
  call.involve({ data: { provider: name } });
  // Looked at before it is spent: a caller of another session must not spend it.
  const isOurs = isOf(own, peekState(call, name, state)?.link);
  const record = isOurs ? takeState(call, name, state) : null;
  if (record === null) return refuse('invalid_state');
  const vouched = await askProvider(providers, call, declared, record, { code, state, issuer: iss });
  if (isRefusal(vouched)) return vouched;
  await linksReady(identity, call.activation);
  return keep(identity, call, own, vouched);
}

function isOf({ user, principal }: OwnUser, link: Linker | undefined): boolean {
  return link !== undefined && link.user === user.id && link.sid === principal.sid;
}

/** The user, the session and the link may have changed while the provider was asked. */
function keep(identity: Identity, call: Call, { user: { id }, principal, rules }: Own, vouched: Vouched): Result {
  const { key, person } = vouched;
  const turn = call.nextTurn();
  const user = findUser(turn, id);
  const hasEnded = principal.sid !== null && presentSid(call, principal.sid) === null;
  if (user === undefined || user.disabled_at !== undefined || hasEnded) return challenge('invalid_token');
  const present = findLink(turn, key);
  if (present?.user_id === id) return reply(200, viewOf({ key, record: present }));
  if (present !== undefined && findUser(turn, present.user_id) !== undefined) return refuse('identity_taken');
  if (readLinks(turn, id).some((link) => link.key.provider === key.provider)) return refuse('provider_linked');
  if (user.guest === true) return guestBecomes(identity, call, rules, user, vouched);
  const record: LinkRecord = {
    user_id: id,
    created_at: timestamp(call.now),
    ...(person === null ? {} : { email: person.email }),
  };
  putLink(turn, key, record);
  commitAndTellOwner(identity, call, 'provider_linked', user, { provider: key.provider });
  return reply(200, viewOf({ key, record }));
}
