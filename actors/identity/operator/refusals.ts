/** Refusals of the superadmin plane. Spec: docs/contract/identity-users.md §6, §7. */
import { defineRefusals } from '#actors/protocol/refusal.ts';

export const operatorRefusals = defineRefusals({
  requires_superadmin: { statuses: [403], family: 'coded', cause: 'only a superadmin may' },
  unknown_tenant: { statuses: [404], family: 'coded', cause: 'no tenant with this key is registered or configured' },
  /** The message says which definition differs, and that it needs a plan. */
  provision_failed: { statuses: [409], family: 'coded', cause: 'the definitions cannot be applied to what is stored' },
  reason_required: { statuses: [400], family: 'coded', cause: 'an impersonation needs a reason' },
  /** One answer for every cause: the event has the cause. */
  impersonation_denied: { statuses: [403], family: 'coded', cause: 'the impersonation is denied' },
});
