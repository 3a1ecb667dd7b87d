/** Refusals of users' logins. Spec: docs/contract/identity-users.md §1; `issue_failed`: docs/contract/identity.md §6.5. */
import { defineRefusals } from '#actors/protocol/refusal.ts';

export const userRefusals = defineRefusals({
  invalid_credentials: { statuses: [401], family: 'coded', cause: 'login, password or second factor is wrong' },
  mfa_required: { statuses: [401], family: 'coded', cause: 'a second factor is required' },
  invalid_refresh_token: { statuses: [401], family: 'coded', cause: 'the refresh token is invalid or expired' },
  refresh_reused: {
    statuses: [401],
    family: 'coded',
    cause: 'the refresh token was used before: every token of its login is revoked',
  },
  invalid_one_time_token: { statuses: [401], family: 'coded', cause: 'the link is invalid, used or expired' },
  rate_limited: {
    statuses: [429],
    family: 'rate',
    cause: 'too many tries at this account: this caller may try again later',
  },
  issue_failed: { statuses: [500], family: 'coded', cause: 'the refresh token was not written' },
});
