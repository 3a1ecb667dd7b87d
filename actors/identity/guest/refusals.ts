/** Refusals of guests. Spec: docs/contract/identity-guests.md. */
import { coded, defineRefusals } from '#actors/protocol/refusal.ts';

export const guestRefusals = defineRefusals({
  no_guests: coded(404, 'the product has no guests (product.yaml: accounts.guests)'),
  guests_full: coded(503, 'the tenant has as many guests as it may have'),
  not_a_guest: coded(409, 'the user has an account already'),
  guest_denied: coded(403, 'a guest may not do this: make an account of it first'),
});
