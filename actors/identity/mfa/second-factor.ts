/** What a login asks of the second factor. */
import type { Work } from '#actors/host/work.ts';
import type { Identity } from '../identity.ts';
import { findTotp, putTotp } from './store.ts';
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
  const given = otp !== undefined && otp !== null && otp !== '';
  if (!given) return totp.unconfirmed === true ? 'ok' : 'required';
  if (!useCode(call, user.id, totp, otp)) return 'invalid';
  if (totp.unconfirmed === true) confirm(call, user.id);
  call.commit();
  return 'ok';
}

/** The user has shown a code beside the own password: from now on every login asks for one. */
function confirm(call: Work, user: string): void {
  const { unconfirmed: _now, ...confirmed } = findTotp(call.turn(), user)!;
  putTotp(call.turn(), user, confirmed);
}
