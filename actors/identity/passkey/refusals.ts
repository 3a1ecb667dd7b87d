/** Refusals of passkeys. Spec: docs/contract/identity-users.md §3.2. */
import { defineRefusals } from '#actors/protocol/refusal.ts';

export const passkeyRefusals = defineRefusals({
  webauthn_disabled: { statuses: [503], family: 'coded', cause: 'WebAuthn is disabled' },
  passkey_denied: {
    statuses: [403],
    family: 'coded',
    cause: 'passkeys belong to the user: no key, service token or impersonation sees or changes them',
  },
  invalid_challenge: {
    statuses: [400],
    family: 'coded',
    cause: 'the challenge is none of ours, was used, has expired, or was given for something else: begin again',
  },
  invalid_passkey: { statuses: [400], family: 'coded', cause: 'the answer of the authenticator does not count here' },
  passkey_exists: { statuses: [409], family: 'coded', cause: 'this passkey is registered already' },
  unknown_passkey: { statuses: [404], family: 'coded', cause: 'the user has no such passkey' },
  last_login_way: {
    statuses: [409],
    family: 'coded',
    cause: 'the user would have no way left to log in: set a password or add another passkey or provider first',
  },
});
