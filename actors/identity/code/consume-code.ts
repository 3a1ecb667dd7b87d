/**
 * `POST /auth/code/consume`: a login with a mailed code. Guesses are bounded three times: by the caller's bucket (`auth_login`), by the account's
 * guard, which counts them with wrong passwords, and by the code itself. A login that no user has costs the same reads and writes.
 */
import type { Call } from '#actors/host/call.ts';
import { CALLER_BUCKET } from '#actors/protocol/frame.ts';
import type { Outcome } from '#actors/protocol/route.ts';
import type { Identity } from '../identity.ts';
import { secondFactor } from '../mfa/second-factor.ts';
import { mfaRequired } from '../passkey/second-step.ts';
import { inactivePlace, missingPlace } from '../place.ts';
import { readBody } from '../read-body.ts';
import { challenge } from '../refusals.ts';
import { findAccount } from '../store.ts';
import { accountGuardOf } from '../user/account-guard.ts';
import { admitUser } from '../user/admit-user.ts';
import { refuseTry } from '../user/refuse-try.ts';
import { deleteOneTime } from '../user/store.ts';
import { countWrongCode, showCode } from './one-time-code.ts';
import type { codeRoutes } from './routes.ts';
import { consumeCodeRequest } from './shapes.ts';

type Result = Outcome<typeof codeRoutes.consumeCode>;

/** A code does not replace the second factor: without one the code stays open, so that the caller can repeat the request with it. */
export function consumeCode(identity: Identity, call: Call): Result {
  const body = readBody(call, consumeCodeRequest);
  if (!body.ok) return body.refusal;
  const nowhere = missingPlace(call) ?? inactivePlace(call);
  if (nowhere !== null) return nowhere;
  const { login, code, otp } = body.value;
  const now = identity.context.clock.now();
  const guard = accountGuardOf(call.activation);
  const caller = call.header(CALLER_BUCKET) ?? '';
  const tried = guard.enter(login, caller, now);
  if (tried.waitMs > 0) return refuseTry(tried.waitMs);
  const user = findAccount(call.turn(), login);
  call.involve({ target: user?.id ?? '', email: login });
  if (!showCode(call.turn(), user?.id ?? null, code, now) || user === undefined || user.disabled_at !== undefined)
    return wrong(call, user?.id ?? null, now, 'invalid_mailed_code');
  call.involve({ actor: user.id });
  const second = secondFactor(identity, call, user, otp);
  if (second === 'invalid') return wrong(call, user.id, now, 'invalid_credentials');
  tried.giveBack();
  if (second === 'required') return mfaRequired(call, user, 'code');
  guard.admit(login, caller);
  deleteOneTime(call.turn(), 'code', user.id);
  return admitUser(identity, call, user);
}

/** Commits the wrong try: no refusal may undo it. */
function wrong(
  call: Call,
  user: string | null,
  nowMs: number,
  code: 'invalid_mailed_code' | 'invalid_credentials',
): Result {
  countWrongCode(call.turn(), user, nowMs);
  call.commit();
  return challenge(code);
}
