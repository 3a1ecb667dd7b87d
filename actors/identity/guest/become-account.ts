/**
 * The holder of a link makes an account of the guest that asked for it: the same id, so that rows stay the user's own. Who holds the link need not be the one
 * who came as the guest: every login and every factor of the guest ends, so that a stranger who asked for another person's address does not stay in that account.
 */
import type { Call } from '#actors/host/call.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { eraseAccess } from '../account/erase-user.ts';
import { tell, type Identity } from '../identity.ts';
import { findLogin, findUser, putUser, type Reader, type UserRecord } from '../store.ts';
import { forgetGuest } from './store.ts';

/** The guest, while it is one and may log in. */
export function presentGuest(reader: Reader, id: string): UserRecord | undefined {
  const user = findUser(reader, id);
  return user?.guest === true && user.disabled_at === undefined ? user : undefined;
}

export interface AccountWish {
  readonly email: string;
  readonly passwordHash: string;
  readonly roles: readonly string[];
  readonly firstname?: string | null | undefined;
  readonly lastname?: string | null | undefined;
}

/** Stages the account, and gives its id; null when the login is taken. */
export function becomeAccount(identity: Identity, call: Call, guest: UserRecord, wish: AccountWish): string | null {
  const { email, passwordHash, roles, firstname, lastname } = wish;
  if (findLogin(call.turn(), email) !== undefined) return null;
  eraseAccess(identity, call, guest.id, 'account_made');
  const turn = call.turn();
  const { guest: _was, ...user } = guest;
  forgetGuest(turn, guest.id);
  putUser(turn, {
    ...user,
    email,
    password_hash: passwordHash,
    roles,
    firstname: firstname ?? user.firstname,
    lastname: lastname ?? user.lastname,
    verified_at: timestamp(call.now),
  });
  call.involve({ actor: guest.id, target: guest.id });
  const data = { roles, changed: ['guest', 'email', 'roles'] };
  tell(identity, call, { ...call.who, action: 'auth.user.changed', target: guest.id, data });
  return guest.id;
}
