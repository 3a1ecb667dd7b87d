/** What callers of the admin and superadmin planes can be refused with (docs/contract/data-admin.md). */
import { coded, defineRefusals } from '#actors/protocol/refusal.ts';

export const adminRefusals = defineRefusals({
  'v2.requires_admin': coded(403, 'the route is for administrators of the tenant'),
  'v2.requires_superadmin': coded(403, 'the route is for superadmins'),
  'v2.missing_tenant': coded(400, 'the path names no tenant'),
  'v2.invalid_tenant': coded(400, 'the path names a tenant by its segment alone, not by its four-part key'),
  'v2.list_tenants_failed': coded(500, 'the tenants could not be listed'),
  'v2.invalidate_failed': coded(500, 'what was dropped could not be compiled again'),
  'v2.datastore_not_found': coded(404, 'the tenant has no such datastore'),
  'v2.definitions_invalid': coded(422, 'the definitions do not load or make no schema'),
  'v2.missing_plan_id': coded(400, 'no plan is named'),
  'v2.plan_not_found': coded(404, 'no such plan'),
  'v2.bad_risk': coded(400, 'confirm_max_risk is low, medium or high'),
  'v2.plan_apply_failed': coded(500, 'the plan could not be applied to its end'),
  'v2.unknown_user': coded(404, 'the tenant has no such user'),
  'v2.not_explained': coded(422, 'what is asked about is no route of rows, or names no entity'),
  'v2.action_writes': coded(422, 'the section writes: to explain it would be to carry it out'),
  'v2.invalid_body': coded(400, 'a member of the body is unknown or of another type'),
});
