/** `POST /auth/webauthn/login/finish`: an assertion becomes a login (WebAuthn §7.2), or the second step of one. */
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import type { Outcome } from '#actors/protocol/route.ts';
import type { Identity } from '../identity.ts';
import { codeFactor } from '../mfa/second-factor.ts';
import { inactivePlace, missingPlace } from '../place.ts';
import { readBody } from '../read-body.ts';
import { challenge, refuse } from '../refusals.ts';
import { findUser, type UserRecord } from '../store.ts';
import { admitUser } from '../user/admit-user.ts';
import type { Shown } from './challenge.ts';
import { counts, handleOf, shownChallenge, spend, type Bound } from './challenges.ts';
import { clientDataFault, readClientData, type ClientData } from './client-data.ts';
import { decoyPasskey } from './decoy.ts';
import { passkeysOf } from './enabled.ts';
import { loginsOf, refuseLogin } from './logins.ts';
import { isFaithful, noteUse } from './note-use.ts';
import type { passkeyRoutes } from './routes.ts';
import { boundOf, endFirstStep, isFirstStep, stands, type FirstStep } from './second-step.ts';
import { loginRequest, type Assertion } from './shapes.ts';
import { findCredential, type PasskeyRecord } from './store.ts';
import { verifyAssertion, type Verified } from './verify.ts';

type Result = Outcome<typeof passkeyRoutes.webauthnLoginFinish>;

/** The challenge of an assertion, and the step of a login that it was given for; null for a login without a first step. */
interface Step {
  readonly text: string;
  readonly shown: Shown;
  readonly first: FirstStep | null;
}

export async function finishLogin(identity: Identity, call: Call): Promise<Result> {
  const nowhere = missingPlace(call) ?? inactivePlace(call);
  if (nowhere !== null) return nowhere;
  const settings = passkeysOf(call);
  if (settings === null) return refuse('webauthn_disabled');
  const body = readBody(call, loginRequest);
  if (!body.ok) return body.refusal;
  const { credential, otp } = body.value;
  const client = readClientData(credential.response.clientDataJSON);
  if (client === null) return refuse('bad_request', { message: 'credential.response.clientDataJSON is not JSON' });
  const fault = clientDataFault(client, 'webauthn.get', settings.origins);
  if (fault !== null) return refuse('invalid_passkey', { message: fault });
  const step = stepOf(call, client);
  if (step === null || !isOpen(call, step, findCredential(call.turn(), credential.id)))
    return refuse('invalid_challenge');
  const record = findCredential(call.turn(), credential.id) ?? decoyPasskey();
  const verified = await verifyAssertion(settings, credential, client, record);
  // The passkey, its user or the challenge may have changed during the await.
  const present = findCredential(call.nextTurn(), credential.id);
  if (!isOpen(call, step, present)) return refuse('invalid_challenge');
  if (verified === null || present === undefined || !isSame(present, record)) return challenge('invalid_credentials');
  return admit(identity, call, { step, credential, passkey: present, verified, otp });
}

function stepOf(call: Call, { challenge: text }: ClientData): Step | null {
  const shown = shownChallenge(call, text);
  if (shown === null) return null;
  if (shown.purpose === 'login') return { text, shown, first: null };
  return isFirstStep(shown.purpose) ? { text, shown, first: shown.purpose } : null;
}

/** Whether the challenge was given to the user of this passkey; one of a login without a name was given to all. */
function isOpen(call: Call, { text, shown, first }: Step, passkey: PasskeyRecord | undefined): boolean {
  const user = passkey === undefined ? undefined : findUser(call.turn(), passkey.user);
  const bound: Bound = first === null ? { subject: '', proof: '' } : boundOf(first, user);
  return counts(call, text, shown, bound) && (first === null || stands(call, first, bound.subject));
}

const isSame = (a: PasskeyRecord, b: PasskeyRecord): boolean => a.id === b.id && a.user === b.user;

interface Asserted {
  readonly step: Step;
  readonly credential: Assertion;
  readonly passkey: PasskeyRecord;
  readonly verified: Verified;
  readonly otp: string | null | undefined;
}

/** The signature is right. A passkey that did not verify its user is one factor: a user with a code enrolled is asked for it. */
function admit(identity: Identity, call: Call, asserted: Asserted): Result {
  const { step, credential, passkey, verified, otp } = asserted;
  const user = findUser(call.turn(), passkey.user);
  if (user === undefined || !isOfUser(call, step, credential, user)) return challenge('invalid_credentials');
  call.involve({ actor: user.id, target: user.id, data: { passkey: passkey.id, ...stepData(step) } });
  const wait = loginsOf(call.activation).waitMs(user.id, call.now);
  if (wait > 0) return refuseLogin(wait);
  if (!isFaithful(identity, call, passkey, verified)) return challenge('invalid_credentials');
  const code = step.first === null && !verified.userVerified ? codeFactor(call, user, otp) : 'ok';
  if (code === 'required') return challenge('mfa_required', { details: { methods: ['otp'] } });
  if (code === 'invalid') return challenge('invalid_credentials');
  noteUse(call, passkey, verified);
  spend(call, step.text, step.shown);
  if (step.first !== null) endFirstStep(call, step.first, user.id);
  const admitted = admitUser(identity, call, user);
  if (!isRefusal(admitted)) loginsOf(call.activation).note(user.id, call.now);
  return admitted;
}

/** The user handle is the one of the passkey's user (WebAuthn §7.2 step 6); an authenticator may leave it out where the user is known by the first step. */
function isOfUser(call: Call, { first }: Step, { response }: Assertion, user: UserRecord): boolean {
  const { userHandle } = response;
  if (userHandle === undefined || userHandle === null) return first !== null;
  return userHandle === handleOf(call, user.id);
}

const stepData = ({ first }: Step) => (first === null ? {} : { second_factor_of: first });
