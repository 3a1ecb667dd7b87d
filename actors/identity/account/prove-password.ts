/** Asks a user who is logged in for the password once more: a stolen token alone must not take an account over. */
import type { Call } from '#actors/host/call.ts';
import { decoyPasswordHash, verifyPassword } from '#actors/kit/password.ts';
import { CALLER_BUCKET } from '#actors/protocol/frame.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import type { Identity } from '../identity.ts';
import { challenge } from '../refusals.ts';
import { findUser, type UserRecord } from '../store.ts';
import { accountGuardOf } from '../user/account-guard.ts';
import { refuseTry } from '../user/refuse-try.ts';

/**
 * The user as it is now, in a new turn. Wrong passwords count among those of the logins, from all addresses together; right ones do not, and a
 * caller that has logged in to the account is never held back by the guesses of others. A user without a password sets one by a reset first.
 */
export async function provePassword(
  identity: Identity,
  call: Call,
  user: UserRecord,
  password: string,
): Promise<UserRecord | Refusal<'invalid_credentials' | 'rate_limited'>> {
  const guard = accountGuardOf(call.activation);
  const tried = guard.enter(user.email || user.id, call.header(CALLER_BUCKET) ?? '', identity.context.clock.now());
  if (tried.waitMs > 0) return refuseTry(tried.waitMs);
  const hash = user.password_hash || decoyPasswordHash();
  const matches = await verifyPassword(hash, password).catch((error: unknown) => {
    tried.giveBack(); // the queue is full: no password was checked
    throw error;
  });
  const present = findUser(call.nextTurn(), user.id);
  if (!matches || present === undefined || present.password_hash !== hash) return challenge('invalid_credentials');
  tried.giveBack();
  return present;
}
