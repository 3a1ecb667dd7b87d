/** Refusals of the session routes. Spec: docs/contract/identity-users.md §4.1. */
import { defineRefusals } from '#actors/protocol/refusal.ts';

export const sessionRefusals = defineRefusals({
  session_limit: {
    statuses: [409],
    family: 'coded',
    cause: 'the user has as many sessions as the product allows; end one of them first',
  },
  session_denied: {
    statuses: [403],
    family: 'coded',
    cause: 'sessions belong to their user, the tenant admin and the superadmin',
  },
  session_not_found: { statuses: [404], family: 'coded', cause: 'no living session of yours has this id' },
});
