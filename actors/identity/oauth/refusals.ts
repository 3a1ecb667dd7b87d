/** Refusals of signing in with a provider. Spec: docs/contract/identity-users.md §2. */
import { defineRefusals } from '#actors/protocol/refusal.ts';

export const oauthRefusals = defineRefusals({
  unknown_provider: { statuses: [404], family: 'bare', cause: 'the product declares no such provider' },
  invalid_state: {
    statuses: [400],
    family: 'coded',
    cause: 'the state is unknown, used, expired, or of another position or provider',
  },
  oauth_failed: { statuses: [401], family: 'coded', cause: 'the provider did not vouch for the user' },
  /** 504 when the provider took too long. */
  oauth_unavailable: { statuses: [502, 504], family: 'coded', cause: 'the provider does not answer as it should' },
});
