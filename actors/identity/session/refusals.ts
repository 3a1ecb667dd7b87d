/** Refusals of the session routes. Spec: docs/contract/identity-users.md §4.1. */
import { coded, defineRefusals } from '#actors/protocol/refusal.ts';

export const sessionRefusals = defineRefusals({
  session_limit: coded(409, 'the user has as many sessions as the product allows; end one of them first'),
  session_denied: coded(403, 'sessions belong to their user, the tenant admin and the superadmin'),
  session_not_found: coded(404, 'no living session of yours has this id'),
});
