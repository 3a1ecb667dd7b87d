/** Refusals of the administration of people and keys. Spec: docs/contract/identity-people.md §1. */
import { defineRefusals } from '#actors/protocol/refusal.ts';

export const peopleRefusals = defineRefusals({
  requires_tenant_admin: {
    statuses: [403],
    family: 'coded',
    cause: 'only a tenant_admin or a superadmin of this position may, and no impersonation of one',
  },
  unknown_user: { statuses: [404], family: 'coded', cause: 'the tenant has no user with this id' },
  user_out_of_reach: {
    statuses: [403],
    family: 'coded',
    cause: 'the user is an operator: only an operator changes such a user',
  },
  last_administrator: {
    statuses: [409],
    family: 'coded',
    cause: 'the user is the last one who administers this tenant: make another administrator first',
  },
  undeclared_role: { statuses: [400], family: 'coded', cause: 'the product declares no such role' },
  user_disabled: { statuses: [409], family: 'coded', cause: 'the user is disabled: enable the user first' },
});
