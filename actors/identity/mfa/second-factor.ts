/** Checks the second factor of a login. */
import type { Work } from '#actors/host/work.ts';
import type { Identity } from '../identity.ts';
import { findTotp, putTotp } from './store.ts';
import { useCode } from './use-code.ts';

/**
 * `ok` when the user has no TOTP enabled or `otp` is a valid TOTP or recovery code; `required` when a code is needed and none was given; `invalid`
 * otherwise (wrong, used before, too many wrong ones). Call it after the password was verified. A spent code is committed here, so that only one of
 * two parallel logins can use it: take a new `call.turn()` afterwards, since the turn from before has ended.
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

/** The user gave a code with the password: from now on every login requires one. */
function confirm(call: Work, user: string): void {
  const { unconfirmed: _now, ...confirmed } = findTotp(call.turn(), user)!;
  putTotp(call.turn(), user, confirmed);
}
