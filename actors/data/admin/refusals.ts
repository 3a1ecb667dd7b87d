/** What callers of the admin and superadmin planes can be refused with (docs/contract/data-admin.md). */
import { defineRefusals } from '#actors/protocol/refusal.ts';

export const adminRefusals = defineRefusals({
  'v2.requires_admin': { statuses: [403], family: 'coded', cause: 'the route is for administrators of the tenant' },
  'v2.requires_superadmin': { statuses: [403], family: 'coded', cause: 'the route is for superadmins' },
  'v2.missing_tenant': { statuses: [400], family: 'coded', cause: 'the path names no tenant' },
  'v2.invalid_tenant': {
    statuses: [400],
    family: 'coded',
    cause: 'the path names a tenant by its segment alone, not by its four-part key',
  },
  'v2.list_tenants_failed': { statuses: [500], family: 'coded', cause: 'the tenants could not be listed' },
  'v2.invalidate_failed': { statuses: [500], family: 'coded', cause: 'what was dropped could not be compiled again' },
  'v2.datastore_not_found': { statuses: [404], family: 'coded', cause: 'the tenant has no such datastore' },
  'v2.definitions_invalid': {
    statuses: [422],
    family: 'coded',
    cause: 'the definitions do not load or make no schema',
  },
  'v2.missing_plan_id': { statuses: [400], family: 'coded', cause: 'no plan is named' },
  'v2.plan_not_found': { statuses: [404], family: 'coded', cause: 'no such plan' },
  'v2.bad_risk': { statuses: [400], family: 'coded', cause: 'confirm_max_risk is low, medium or high' },
  'v2.plan_apply_failed': { statuses: [500], family: 'coded', cause: 'the plan could not be applied to its end' },
  'v2.invalid_body': { statuses: [400], family: 'coded', cause: 'a member of the body is unknown or of another type' },
});
