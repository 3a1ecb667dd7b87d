/** What a login asks of the second factor. */
import type { Work } from '#actors/host/work.ts';
import type { Identity } from '../identity.ts';
import { findTotp } from './store.ts';
import { useCode } from './use-code.ts';

/**
 * `ok` when the user has no TOTP enabled or `otp` is a TOTP or recovery code that counts; `required` when one is needed and none
 * was given; `invalid` otherwise (wrong, used before, too many wrong ones). Ask after the password has been verified.
 * A spent code is committed here, at once, so that of two parallel logins one wins: begin writing with a fresh `call.turn()`
 * afterwards, a turn held from before has ended.
 */
export function secondFactor(
  _identity: Identity,
  call: Work,
  user: { readonly id: string },
  otp: string | null | undefined,
): 'ok' | 'required' | 'invalid' {
  const totp = findTotp(call.turn(), user.id);
  if (totp === undefined || !totp.enabled) return 'ok';
  if (otp === undefined || otp === null || otp === '') return 'required';
  if (!useCode(call, user.id, totp, otp)) return 'invalid';
  call.commit();
  return 'ok';
}
