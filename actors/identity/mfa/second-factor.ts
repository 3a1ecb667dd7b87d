/** Checks the second factor of a login. */
import type { Work } from '#actors/host/work.ts';
import type { Identity } from '../identity.ts';
import { needsPasskey } from '../passkey/second-step.ts';
import { findTotp, putTotp } from './store.ts';
import { useCode } from './use-code.ts';

type Verdict = 'ok' | 'required' | 'invalid';

/**
 * `ok` when the user has no second factor or `otp` is a valid TOTP or recovery code; `required` when one is needed and no code was given (answer
 * with `mfaRequired` of ../passkey/second-step.ts, which says what is possible); `invalid` otherwise (wrong, used before, too many wrong ones). Call
 * it after the first factor was verified. A spent code is committed here, so that only one of two parallel logins can use it: take a new
 * `call.turn()` afterwards, since the turn from before has ended.
 */
export function secondFactor(
  _identity: Identity,
  call: Work,
  user: { readonly id: string },
  otp: string | null | undefined,
): Verdict {
  if (!needsPasskey(call, user.id)) return codeFactor(call, user, otp);
  const hasCodes = findTotp(call.turn(), user.id)?.enabled === true;
  return hasCodes && isGiven(otp) ? codeFactor(call, user, otp) : 'required';
}

/** The same of codes alone. */
export function codeFactor(call: Work, user: { readonly id: string }, otp: string | null | undefined): Verdict {
  const totp = findTotp(call.turn(), user.id);
  if (totp === undefined || !totp.enabled) return 'ok';
  if (!isGiven(otp)) return totp.unconfirmed === true ? 'ok' : 'required';
  if (!useCode(call, user.id, totp, otp)) return 'invalid';
  if (totp.unconfirmed === true) confirm(call, user.id);
  call.commit();
  return 'ok';
}

const isGiven = (otp: string | null | undefined): otp is string => otp !== undefined && otp !== null && otp !== '';

/** The user gave a code with the password: from now on every login requires one. */
function confirm(call: Work, user: string): void {
  const { unconfirmed: _now, ...confirmed } = findTotp(call.turn(), user)!;
  putTotp(call.turn(), user, confirmed);
}
