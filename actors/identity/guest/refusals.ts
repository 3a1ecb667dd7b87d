/** Refusals of guests. Spec: docs/contract/identity-guests.md. */
import { defineRefusals } from '#actors/protocol/refusal.ts';

export const guestRefusals = defineRefusals({
  no_guests: { statuses: [404], family: 'coded', cause: 'the product has no guests (product.yaml: accounts.guests)' },
  guests_full: { statuses: [503], family: 'coded', cause: 'the tenant has as many guests as it may have' },
  not_a_guest: { statuses: [409], family: 'coded', cause: 'the user has an account already' },
  guest_denied: { statuses: [403], family: 'coded', cause: 'a guest may not do this: make an account of it first' },
});
