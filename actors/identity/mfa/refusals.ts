/** Refusals of the second factor. Spec: docs/contract/identity-users.md §3.1. */
import { defineRefusals } from '#actors/protocol/refusal.ts';

export const mfaRefusals = defineRefusals({
  mfa_denied: {
    statuses: [403],
    family: 'coded',
    cause: 'the second factor belongs to the user: a service token or an impersonation cannot change it',
  },
  mfa_enabled: { statuses: [409], family: 'coded', cause: 'TOTP is enabled: disable it first' },
  mfa_not_enabled: { statuses: [409], family: 'coded', cause: 'TOTP is not enabled' },
  mfa_not_setup: { statuses: [409], family: 'coded', cause: 'there is no TOTP setup to enable' },
  invalid_code: { statuses: [400], family: 'coded', cause: 'the code is wrong or was used before' },
});
