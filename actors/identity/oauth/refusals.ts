/** Refusals of signing in with a provider. Spec: docs/contract/identity-users.md §2. */
import { coded, defineRefusals } from '#actors/protocol/refusal.ts';

export const oauthRefusals = defineRefusals({
  unknown_provider: { statuses: [404], family: 'bare', cause: 'the product declares no such provider' },
  invalid_state: coded(400, 'the state is unknown, used, expired, or of another position or provider'),
  invalid_redirect_uri: coded(
    400,
    'redirect_uri is none of those that product.yaml declares for the provider: send one exactly as it stands there, once, or leave it out',
  ),
  oauth_failed: coded(401, 'the provider did not vouch for the user'),
  identity_taken: coded(409, 'this account at the provider logs another user in: unlink it there first'),
  provider_linked: coded(409, 'another account at this provider logs the user in: unlink that one first'),
  unknown_identity: coded(404, 'no account at this provider logs the user in'),
  /** 504 when the provider took too long. */
  oauth_unavailable: coded([502, 504], 'the provider does not answer as it should'),
});
