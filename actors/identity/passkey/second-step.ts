/**
 * A passkey as the second step of a login. The refusal `mfa_required` carries options for the browser, whose challenge is bound to the user and to
 * the first step: the page ends the login at `/auth/webauthn/login/finish`, and the first step need not be shown again.
 */
import type { Work } from '#actors/host/work.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { challenge } from '../refusals.ts';
import type { UserRecord } from '../store.ts';
import { findTotp } from '../mfa/store.ts';
import { deleteOneTime, findOneTime } from '../user/store.ts';
import { requestOptions } from './begin-login.ts';
import type { Purpose } from './challenge.ts';
import { giveChallenge, type Bound } from './challenges.ts';
import { passkeysOf } from './enabled.ts';
import { readPasskeys } from './store.ts';

/** How the user has proven the first step. */
export type FirstStep = 'password' | 'magic_link' | 'oauth' | 'code';

export function isFirstStep(purpose: Purpose): purpose is FirstStep {
  return purpose === 'password' || purpose === 'oauth' || isMailed(purpose);
}

/** What was mailed stays open until the second step: then it ends. */
const isMailed = (step: Purpose): step is 'magic_link' | 'code' => step === 'magic_link' || step === 'code';

/** Whether logins of the user need a passkey, where no code takes its place. Without `passkeys` in the product none is needed: it could not be shown. */
export function needsPasskey(work: Work, user: string): boolean {
  if (passkeysOf(work) === null) return false;
  return readPasskeys(work.turn(), user).some(({ second_factor }) => second_factor);
}

/** What a challenge of the step is bound to: a login by password ends with a change of the password. */
export function boundOf(step: FirstStep, user: UserRecord | undefined): Bound {
  return { subject: user?.id ?? '', proof: step === 'password' ? (user?.password_hash ?? '') : '' };
}

/** `mfa_required`, as the contract has it; for a user with a passkey as second factor its details say what is possible. */
export function mfaRequired(
  work: Work,
  user: UserRecord,
  step: FirstStep,
  details?: Readonly<Record<string, unknown>>,
): Refusal<'mfa_required'> {
  const settings = passkeysOf(work);
  if (settings === null || !needsPasskey(work, user.id))
    return challenge('mfa_required', details === undefined ? {} : { details });
  const hasTotp = findTotp(work.turn(), user.id)?.enabled === true;
  const text = giveChallenge(work, step, boundOf(step, user));
  work.commit();
  const publicKey = requestOptions(settings, text, readPasskeys(work.turn(), user.id));
  const methods = hasTotp ? ['otp', 'webauthn'] : ['webauthn'];
  return challenge('mfa_required', { details: { ...details, methods, publicKey } });
}

/** Whether the first step still stands: a mailed link or code that was used meanwhile does not. */
export function stands(work: Work, step: FirstStep, user: string): boolean {
  return !isMailed(step) || findOneTime(work.turn(), step, user) !== undefined;
}

/** Stages the end of what the first step used. */
export function endFirstStep(work: Work, step: FirstStep, user: string): void {
  if (isMailed(step)) deleteOneTime(work.turn(), step, user);
}
