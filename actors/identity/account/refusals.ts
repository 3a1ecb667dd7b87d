/** Refusals of accounts. Spec: docs/contract/identity-users.md §8. */
import { defineRefusals } from '#actors/protocol/refusal.ts';

export const accountRefusals = defineRefusals({
  no_accounts: { statuses: [404], family: 'coded', cause: 'the product declares no accounts (product.yaml: accounts)' },
  sign_up_closed: { statuses: [403], family: 'coded', cause: 'the product lets no stranger sign up' },
  email_domain: { statuses: [403], family: 'coded', cause: 'the product takes no address of this domain' },
  no_mail: {
    statuses: [503],
    family: 'coded',
    cause: 'the node cannot send this mail: identity.mail or a link of it is not configured',
  },
  sign_ups_full: { statuses: [503], family: 'coded', cause: 'too many sign-ups wait for their confirmation' },
  invitations_full: { statuses: [409], family: 'coded', cause: 'too many invitations are open: withdraw some' },
  invitation_denied: {
    statuses: [403],
    family: 'coded',
    cause: 'an administrator of the tenant invites, and confers no role of operators',
  },
  invitation_not_found: { statuses: [404], family: 'coded', cause: 'there is no such open invitation' },
  account_denied: {
    statuses: [403],
    family: 'coded',
    cause: 'an account is changed by its user alone, not by a service or an impersonation',
  },
});
