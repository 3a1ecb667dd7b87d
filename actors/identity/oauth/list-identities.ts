/** `GET /auth/me/oauth`. */
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { ownAccount } from '../account/own-account.ts';
import type { Identity } from '../identity.ts';
import { linksReady } from './build-links.ts';
import type { linkRoutes } from './link-routes.ts';
import type { IdentityView } from './shapes.ts';
import { readLinks, type Link, type Reader } from './store.ts';

export async function listIdentities(
  identity: Identity,
  call: Call,
): Promise<Outcome<typeof linkRoutes.listIdentities>> {
  const own = ownAccount(call);
  if (isRefusal(own)) return own;
  await linksReady(identity, call.activation);
  return reply(200, { identities: identitiesOf(call.nextTurn(), own.user.id) }, { 'Cache-Control': 'no-store' });
}

/** Whole once the index of links is. */
export function identitiesOf(reader: Reader, user: string): IdentityView[] {
  return readLinks(reader, user).map(viewOf);
}

export function viewOf({ key: { provider }, record: { email, created_at } }: Link): IdentityView {
  return { provider, email: email ?? null, created_at };
}
