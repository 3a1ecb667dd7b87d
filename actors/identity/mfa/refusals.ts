/** Refusals of the second factor. Spec: docs/contract/identity-users.md §3.1. */
import { coded, defineRefusals } from '#actors/protocol/refusal.ts';

export const mfaRefusals = defineRefusals({
  mfa_denied: coded(403, 'the second factor belongs to the user: a service token or an impersonation cannot change it'),
  mfa_enabled: coded(409, 'TOTP is enabled: disable it first'),
  mfa_not_enabled: coded(409, 'TOTP is not enabled'),
  mfa_not_setup: coded(409, 'there is no TOTP setup to enable'),
  invalid_code: coded(400, 'the code is wrong or was used before'),
});
