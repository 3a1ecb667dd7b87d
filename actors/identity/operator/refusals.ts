/** Refusals of the superadmin plane. Spec: docs/contract/identity-users.md §6, §7. */
import { coded, defineRefusals } from '#actors/protocol/refusal.ts';

export const operatorRefusals = defineRefusals({
  requires_superadmin: coded(403, 'only a superadmin may'),
  unknown_tenant: coded(404, 'no tenant with this key is registered or configured'),
  /** The message says which definition differs, and that it needs a plan. */
  provision_failed: coded(409, 'the definitions cannot be applied to what is stored'),
  reason_required: coded(400, 'an impersonation needs a reason'),
  /** One answer for every cause: the event has the cause. */
  impersonation_denied: coded(403, 'the impersonation is denied'),
});
