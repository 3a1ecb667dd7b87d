/** `POST /auth/login`. Spec: docs/contract/identity-users.md §1.1, docs/contract/identity.md §4.6: an unknown user costs the same. */
import type { Call } from '#actors/host/call.ts';
import { hashPassword, isOfToday, verifyAmong } from '#actors/kit/password.ts';
import { Busy } from '#actors/protocol/busy.ts';
import { CALLER_BUCKET } from '#actors/protocol/frame.ts';
import type { Outcome } from '#actors/protocol/route.ts';
import type { Identity } from '../identity.ts';
import { heldForms } from '../import/store.ts';
import { secondFactor } from '../mfa/second-factor.ts';
import { mfaRequired } from '../passkey/second-step.ts';
import { inactivePlace, missingPlace } from '../place.ts';
import { readBody } from '../read-body.ts';
import { challenge } from '../refusals.ts';
import { findAccount, findUser, putUser } from '../store.ts';
import { accountGuardOf } from './account-guard.ts';
import { admitUser } from './admit-user.ts';
import { refuseTry } from './refuse-try.ts';
import type { userRoutes } from './routes.ts';
import { loginRequest } from './shapes.ts';

type Result = Outcome<typeof userRoutes.login>;

/**
 * Checks body, position, the account's limit, password and second factor, then opens the login. Every check runs the same hashes, of a known login and
 * of an unknown one: one of argon2id, and one of each foreign form that the tenant's users have.
 */
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
  const account = findAccount(call.turn(), name);
  const id = account?.id ?? '';
  call.involve({ target: id, email: name });
  const hash = account?.password_hash ?? '';
  const matches = await verifyAmong(hash, password, heldForms(call.turn())).catch((error: unknown) => {
    tried.giveBack(); // the queue is full: no password was checked
    throw error;
  });
  const newer = matches ? await newerHash(call, hash, password) : null;
  // The user may have changed during the await: read again, and the password must still be the one that was checked.
  const user = findUser(call.nextTurn(), id);
  // A disabled user is refused as a wrong password is, and counted as one.
  if (!matches || user === undefined || user.password_hash !== hash || user.disabled_at !== undefined)
    return challenge('invalid_credentials');
  call.involve({ actor: user.id });
  tried.giveBack();
  const present = newer === null ? user : { ...user, password_hash: newer };
  const second = secondFactor(identity, call, user, otp);
  // The step of a passkey knows no password: its challenge is bound to the new hash, and commits it.
  if (newer !== null && second !== 'invalid') putUser(call.turn(), present);
  if (second === 'required') return mfaRequired(call, present, 'password');
  if (second === 'invalid') return challenge('invalid_credentials');
  guard.admit(name, caller);
  return admitUser(identity, call, present);
}

/**
 * The hash of a right password with today's parameters, or null where the present one has them: a foreign one, and one of other parameters, is
 * replaced. A login is the only time when the password is known; it waits for one more hash that once, and a failed login never does. Where no hash
 * finds room, or the tenant is read-only, a later login does it.
 */
async function newerHash(call: Call, hash: string, password: string): Promise<string | null> {
  if (isOfToday(hash) || call.activation.standing?.isReadOnly === true) return null;
  return hashPassword(password).catch((error: unknown) => {
    if (error instanceof Busy) return null;
    throw error;
  });
}
