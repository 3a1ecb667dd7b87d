/** Refusals of users' logins. Spec: docs/contract/identity-users.md §1; `issue_failed`: docs/contract/identity.md §6.5. */
import { coded, defineRefusals } from '#actors/protocol/refusal.ts';

export const userRefusals = defineRefusals({
  invalid_credentials: coded(401, 'login, password or second factor is wrong'),
  mfa_required: coded(401, 'a second factor is required'),
  invalid_refresh_token: coded(401, 'the refresh token is invalid or expired'),
  refresh_reused: coded(401, 'the refresh token was used before: every token of its login is revoked'),
  invalid_one_time_token: coded(401, 'the link is invalid, used or expired'),
  rate_limited: {
    statuses: [429],
    family: 'rate',
    cause: 'too many tries at this account: this caller may try again later',
  },
  issue_failed: coded(500, 'the refresh token was not written'),
});
