/** Refusals of accounts. Spec: docs/contract/identity-users.md §8. */
import { coded, defineRefusals } from '#actors/protocol/refusal.ts';

export const accountRefusals = defineRefusals({
  no_accounts: coded(404, 'the product declares no accounts (product.yaml: accounts)'),
  sign_up_closed: coded(403, 'the product lets no stranger sign up'),
  email_domain: coded(403, 'the product takes no address of this domain'),
  no_mail: coded(503, 'the node cannot send this mail: identity.mail or a link of it is not configured'),
  sign_ups_full: coded(503, 'too many sign-ups wait for their confirmation'),
  invitations_full: coded(409, 'too many invitations are open: withdraw some'),
  invitation_denied: coded(403, 'an administrator of the tenant invites, and confers no role of operators'),
  invitation_not_found: coded(404, 'there is no such open invitation'),
  account_denied: coded(403, 'an account is changed by its user alone, not by a service or an impersonation'),
});
