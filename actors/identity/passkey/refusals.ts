/** Refusals of passkeys. Spec: docs/contract/identity-users.md §3.2. */
import { coded, defineRefusals } from '#actors/protocol/refusal.ts';

export const passkeyRefusals = defineRefusals({
  webauthn_disabled: coded(503, 'WebAuthn is disabled'),
  passkey_denied: coded(
    403,
    'passkeys belong to the user: no key, service token or impersonation sees or changes them',
  ),
  invalid_challenge: coded(
    400,
    'the challenge is none of ours, was used, has expired, or was given for something else: begin again',
  ),
  invalid_passkey: coded(400, 'the answer of the authenticator does not count here'),
  passkey_exists: coded(409, 'this passkey is registered already'),
  unknown_passkey: coded(404, 'the user has no such passkey'),
  last_login_way: coded(
    409,
    'the user would have no way left to log in: set a password or add another passkey or provider first',
  ),
});
