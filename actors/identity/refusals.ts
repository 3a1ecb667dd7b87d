/** Every refusal of identity. Spec: docs/contract/identity.md §6; the bootstrap rows: docs/contract/identity-users.md §5. */
import { coded, defineRefusals, refuserOf, type Refusal, type RefusalOptions } from '#actors/protocol/refusal.ts';
import { RETRY_SOON } from '#actors/protocol/retry-after.ts';
import { captchaRefusals } from './captcha/refusals.ts';
import { codeRefusals } from './code/refusals.ts';
import { deployRefusals } from './deploy/refusals.ts';
import { keyRefusals } from './key/refusals.ts';
import { accountRefusals } from './account/refusals.ts';
import { guestRefusals } from './guest/refusals.ts';
import { mfaRefusals } from './mfa/refusals.ts';
import { operatorRefusals } from './operator/refusals.ts';
import { oauthRefusals } from './oauth/refusals.ts';
import { tokenRefusals } from './token/refusals.ts';
import { proofRefusals } from './proof/refusals.ts';
import { peopleRefusals } from './people/refusals.ts';
import { privacyRefusals } from './privacy/refusals.ts';
import { passkeyRefusals } from './passkey/refusals.ts';
import { userRefusals } from './user/refusals.ts';
import { sessionRefusals } from './session/refusals.ts';

export const refusals = defineRefusals({
  auth_required: coded(401, 'authentication is required'),
  invalid_api_key: coded(401, 'the API key is not valid'),
  invalid_token: coded(401, 'the bearer token is invalid or expired'),
  apikey_required: coded(401, 'this route takes an ApiKey credential only'),
  bad_request: coded(400, 'the body is not valid'),
  missing_id: coded(400, 'the path names no key id'),
  /** 401 when a key was presented, 400 otherwise. */
  no_tenant: coded([400, 401], 'the tenant headers are missing'),
  'invalid tenant': coded(400, 'invalid tenant'),
  tenant_inactive: coded(403, 'the tenant is not provisioned on this node'),
  scope_exceeds_authority: coded(403, "the capabilities exceed the issuer's authority"),
  hook_denied: coded(403, 'a hook denied the call'),
  not_a_service_key: coded(403, 'the key has no scope'),
  generate_failed: coded(500, 'the key could not be generated'),
  persist_failed: coded(500, 'the row was not written'),
  mint_failed: coded(500, 'the token could not be signed'),
  /** 503 when the tenant's mailbox or overlay is full and a retry makes sense. */
  engine_unavailable: coded([500, 503], "the tenant's datastore is not available"),
  bootstrap_denied: coded(401, 'the bootstrap token is wrong'),
  bootstrap_closed: coded(410, 'bootstrap is closed'),
  login_taken: coded(409, 'a user with this login exists'),
  ...mfaRefusals,
  ...operatorRefusals,
  ...oauthRefusals,
  ...passkeyRefusals,
  ...userRefusals,
  ...codeRefusals,
  ...deployRefusals,
  ...tokenRefusals,
  ...sessionRefusals,
  ...peopleRefusals,
  ...privacyRefusals,
  ...proofRefusals,
  ...keyRefusals,
  ...accountRefusals,
  ...captchaRefusals,
  ...guestRefusals,
});

export const refuse = refuserOf(refusals);

/** 503: what was asked for may find room in a moment. */
export const busy = (): Refusal<'engine_unavailable'> =>
  refuse('engine_unavailable', { status: 503, headers: RETRY_SOON });

/** RFC 9110 §15.5.2: a 401 names the schemes that would do. */
const CHALLENGE = { 'WWW-Authenticate': 'Bearer, ApiKey' } as const;

type Unauthenticated =
  | 'auth_required'
  | 'invalid_api_key'
  | 'invalid_token'
  | 'apikey_required'
  | 'bootstrap_denied'
  | 'no_tenant'
  | 'invalid_credentials'
  | 'mfa_required'
  | 'invalid_refresh_token'
  | 'refresh_reused'
  | 'invalid_one_time_token'
  | 'invalid_mailed_code'
  | 'oauth_failed';

/** A 401 with its challenge. */
export function challenge<C extends Unauthenticated>(
  code: C,
  options: Pick<RefusalOptions, 'message' | 'details'> = {},
): Refusal<C> {
  return { ...refuse(code, options), status: 401, headers: CHALLENGE };
}
