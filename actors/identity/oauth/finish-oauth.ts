/** `GET /auth/oauth/{provider}/callback`: the product's page gives the parameters that the provider sent to it, and gets tokens. */
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import type { Outcome } from '#actors/protocol/route.ts';
import { commitAndTellOwner } from '../account/tell-owner.ts';
import type { Identity } from '../identity.ts';
import { secondFactor } from '../mfa/second-factor.ts';
import { mfaRequired } from '../passkey/second-step.ts';
import { challenge, refuse } from '../refusals.ts';
import { findUser, type UserRecord } from '../store.ts';
import { admitUser } from '../user/admit-user.ts';
import { askProvider } from './ask-provider.ts';
import { findOrCreateUser } from './find-user.ts';
import { providerOf } from './provider-of.ts';
import type { Providers } from './providers.ts';
import type { oauthRoutes } from './routes.ts';
import { openState, peekState, takeState } from './states.ts';
import type { StateRecord } from './store.ts';

type Result = Outcome<typeof oauthRoutes.finishOauth>;

/** Checks position, provider and state, then asks the provider. The state is spent before the first await, so that a replay finds none. */
export async function finishOauth(identity: Identity, providers: Providers, call: Call): Promise<Result> {
  const declared = providerOf(call);
  if (isRefusal(declared)) return declared;
  const { name } = declared;
  const state = call.query.get('state') ?? '';
  const pending = peekState(call, name, state);
  if (pending === null || pending.link !== undefined) return refuse('invalid_state');
  if (pending.user_id !== null) return answerSecondFactor(identity, call, name, state, pending.user_id);
  const code = call.query.get('code');
  const denied = call.query.get('error');
  if (code === null && denied === null) return refuse('bad_request', { message: 'the query has no code' });
  const record = takeState(call, name, state);
  if (record === null) return refuse('invalid_state');
  if (code === null) return challenge('oauth_failed', { message: 'the provider refused the sign-in' });
  const vouched = await askProvider(providers, call, declared, record, { code, state, issuer: call.query.get('iss') });
  if (isRefusal(vouched)) return vouched;
  const found = findOrCreateUser(call, declared.provider, vouched);
  if (isRefusal(found)) return found;
  if (found.isLinked) commitAndTellOwner(identity, call, 'provider_linked', found.user, { provider: name });
  return admit(identity, call, record, found.user);
}

/** A user with TOTP needs a code, as at a login: a new state stands for the sign-in, so that the provider need not be asked again. */
function admit(identity: Identity, call: Call, record: StateRecord, user: UserRecord): Result {
  if (secondFactor(identity, call, user, null) === 'ok') return admitAtOnce(identity, call, user);
  const state = openState(call, { ...record, user_id: user.id });
  if (state === null) return refuse('engine_unavailable', { status: 503 });
  call.commit();
  return mfaRequired(call, user, 'oauth', { state });
}

/** `?state=&otp=`: a wrong code may be tried again while the state lives; the right code spends it. */
function answerSecondFactor(identity: Identity, call: Call, provider: string, state: string, userId: string): Result {
  const user = findUser(call.turn(), userId);
  if (user === undefined || user.disabled_at !== undefined) return challenge('oauth_failed');
  const verdict = secondFactor(identity, call, user, call.query.get('otp'));
  if (verdict === 'required') return mfaRequired(call, user, 'oauth', { state });
  if (verdict === 'invalid') return challenge('invalid_credentials', { details: { state } });
  return takeState(call, provider, state) === null ? refuse('invalid_state') : admitAtOnce(identity, call, user);
}

/** Commits before the promise settles: otherwise another callback of the same user would not see the user that this one made. */
function admitAtOnce(identity: Identity, call: Call, user: UserRecord): Result {
  const admitted = admitUser(identity, call, user);
  if (!isRefusal(admitted)) call.commit();
  return admitted;
}
