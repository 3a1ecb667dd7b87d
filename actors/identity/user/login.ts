/** `POST /auth/login`. Spec: docs/contract/identity-users.md §1.1, docs/contract/identity.md §4.6: an unknown user costs the same. */
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import { decoyPasswordHash, verifyPassword } from '#actors/kit/password.ts';
import { CALLER_BUCKET } from '#actors/protocol/frame.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import type { Outcome } from '#actors/protocol/route.ts';
import { retryAfter } from '#actors/protocol/retry-after.ts';
import type { Identity } from '../identity.ts';
import { secondFactor } from '../mfa/second-factor.ts';
import { inactivePlace, missingPlace } from '../place.ts';
import { readBody } from '../read-body.ts';
import { challenge, refuse } from '../refusals.ts';
import { findLogin, findUser } from '../store.ts';
import { accountGuardOf } from './account-guard.ts';
import { admitUser } from './admit-user.ts';
import type { userRoutes } from './routes.ts';
import { loginRequest } from './shapes.ts';

type Result = Outcome<typeof userRoutes.login>;

/** Checks body, position, the account's limit, password and second factor, then opens the login. An unknown login costs an argon2 run, too. */
export async function login(identity: Identity, call: Call): Promise<Result> {
  const body = readBody(call, loginRequest);
  if (!body.ok) return body.refusal;
  const nowhere = missingPlace(call) ?? inactivePlace(call);
  if (nowhere !== null) return nowhere;
  const { login: name, password, otp } = body.value;
  const guard = accountGuardOf(call.activation);
  const caller = call.header(CALLER_BUCKET) ?? '';
  const tried = guard.enter(name, caller, identity.context.clock.now());
  if (tried.waitMs > 0) return refuseTry(tried.waitMs);
  const id = findLogin(call.turn(), name) ?? '';
  call.involve({ target: id, email: name });
  const hash = findUser(call.turn(), id)?.password_hash || decoyPasswordHash();
  const matches = await verifyPassword(hash, password).catch((error: unknown) => {
    tried.giveBack(); // the queue is full: no password was checked
    throw error;
  });
  // The user may have changed during the await: read again, and the password must still be the one that was checked.
  const user = findUser(call.nextTurn(), id);
  if (!matches || user === undefined || user.password_hash !== hash) return challenge('invalid_credentials');
  call.involve({ actor: user.id });
  tried.giveBack();
  const second = secondFactor(identity, call, user, otp);
  if (second === 'required') return challenge('mfa_required');
  if (second === 'invalid') return challenge('invalid_credentials');
  guard.admit(name, caller);
  return admitUser(identity, call, user);
}

/** The body and the headers of the contract's rate limit (docs/contract/identity.md §7.3). */
export function refuseTry(waitMs: number): Refusal<'rate_limited'> {
  const seconds = Math.ceil(waitMs / 1000);
  return refuse('rate_limited', {
    details: { profile: 'auth_account', retry_after_seconds: seconds },
    headers: {
      ...retryAfter(seconds),
      'X-RateLimit-Limit': String(limits.identity.wrongPasswordsBurst),
      'X-RateLimit-Remaining': '0',
    },
  });
}
