/**
 * A guest who links an account at a provider becomes an account: the same id, the address that the provider has verified, and the roles of a sign-up. An
 * address that the tenant knows is refused as at a sign-in; only a person whose address the provider has verified learns of it.
 */
import type { Call } from '#actors/host/call.ts';
import { timestamp } from '#actors/kit/clock.ts';
import type { Outcome } from '#actors/protocol/route.ts';
import { closeRequestsOf } from '../account/open-request.ts';
import { closedSignUp, foreignDomain, type Rules } from '../account/rules.ts';
import { becomeAccount } from '../guest/become-account.ts';
import type { Identity } from '../identity.ts';
import { challenge, refuse } from '../refusals.ts';
import { findUser, type UserRecord } from '../store.ts';
import { admitUser } from '../user/admit-user.ts';
import type { Vouched } from './exchange-code.ts';
import type { linkRoutes } from './link-routes.ts';
import { putLink } from './store.ts';

type Result = Outcome<typeof linkRoutes.finishLink>;

/** Every login and factor of the guest ends, as with a mailed link: one that another person kept would stay in the account. So the answer has tokens. */
export function guestBecomes(
  identity: Identity,
  call: Call,
  { accounts }: Rules,
  guest: UserRecord,
  { key, person }: Vouched,
): Result {
  if (person === null)
    return challenge('oauth_failed', { message: 'the provider has verified no address of the user' });
  const { email, firstname, lastname } = person;
  const denied = closedSignUp(accounts) ?? foreignDomain(accounts, email);
  if (denied !== null) return denied;
  call.involve({ email });
  const { roles } = accounts;
  if (becomeAccount(identity, call, guest, { email, passwordHash: '', roles, firstname, lastname }) === null)
    return refuse('login_taken');
  const turn = call.turn();
  closeRequestsOf(turn, email);
  putLink(turn, key, { user_id: guest.id, created_at: timestamp(call.now), email });
  return admitUser(identity, call, findUser(turn, guest.id)!);
}
