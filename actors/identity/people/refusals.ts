/** Refusals of the administration of people and keys. Spec: docs/contract/identity-people.md §1. */
import { coded, defineRefusals } from '#actors/protocol/refusal.ts';

export const peopleRefusals = defineRefusals({
  requires_tenant_admin: coded(
    403,
    'only a tenant_admin or a superadmin of this position may, and no impersonation of one',
  ),
  unknown_user: coded(404, 'the tenant has no user with this id'),
  user_out_of_reach: coded(403, 'the user is an operator: only an operator changes such a user'),
  last_administrator: coded(
    409,
    'the user is the last one who administers this tenant: make another administrator first',
  ),
  undeclared_role: coded(400, 'the product declares no such role'),
  user_disabled: coded(409, 'the user is disabled: enable the user first'),
});
