/** Refusals of signing in with a provider. Spec: docs/contract/identity-users.md §2. */
import { defineRefusals } from '#actors/protocol/refusal.ts';

export const oauthRefusals = defineRefusals({
  unknown_provider: { statuses: [404], family: 'bare', cause: 'the product declares no such provider' },
  invalid_state: {
    statuses: [400],
    family: 'coded',
    cause: 'the state is unknown, used, expired, or of another position or provider',
  },
  invalid_redirect_uri: {
    statuses: [400],
    family: 'coded',
    cause:
      'redirect_uri is none of those that product.yaml declares for the provider: send one exactly as it stands there, once, or leave it out',
  },
  oauth_failed: { statuses: [401], family: 'coded', cause: 'the provider did not vouch for the user' },
  identity_taken: {
    statuses: [409],
    family: 'coded',
    cause: 'this account at the provider logs another user in: unlink it there first',
  },
  provider_linked: {
    statuses: [409],
    family: 'coded',
    cause: 'another account at this provider logs the user in: unlink that one first',
  },
  unknown_identity: { statuses: [404], family: 'coded', cause: 'no account at this provider logs the user in' },
  /** 504 when the provider took too long. */
  oauth_unavailable: { statuses: [502, 504], family: 'coded', cause: 'the provider does not answer as it should' },
});
