/** Every row of the contract for gates, plans and the superadmin plane has a proof. */
import { proveContract } from '#test/kit/contract-table.ts';
import { ROWS } from '#test/scenario/admin-contract/plan-rows.ts';

const gate = (title: string) => ({ file: 'test/scenario/admin-gate.test.ts', title });
const plan = (title: string) => ({ file: 'test/actors/data/admin/plan.test.ts', title });
const failure = (title: string) => ({ file: 'test/actors/data/admin/failures.test.ts', title });
const http = (title: string) => ({ file: 'test/scenario/admin-plans.test.ts', title });

proveContract(ROWS, {
  Authentication: {
    'Read, Generate, Seed, Maintenance: admin or superadmin; the role check is case-insensitive': gate('called as %s'),
    'Apply, Retention, Locks: superadmin only': gate('called as %s'),
    'Superadmin plane: superadmin strictly': gate('the mirror for %s'),
    'a denied call: 403 v2.requires_admin or v2.requires_superadmin': gate('called as %s'),
  },
  'Admin plane': {
    'datastore: of the query on GET, of the body on writes; omitted means the default': gate(
      'a datastore that the tenant does not have: 404',
    ),
    'POST /plans: writes a plan, runs no DDL': plan('is kept, and shown again as the ledger has it'),
    'POST /plans: both members optional, allow_drops default false': http(
      'an empty body makes a plan; what was provisioned has no steps',
    ),
    'GET /plans/{id}: {tenant, plan, steps}; 404 if unknown; zero steps are legal': plan(
      'over what is stored already has no steps, and is applied',
    ),
    'POST /plans/{id}/apply: 200 if applied, else 207': plan(
      'halts before a step that is riskier than was confirmed, and goes on when it is',
    ),
    'POST /plans/{id}/apply: confirm_max_risk low by default, else 400': plan('the body %j: %i %s'),
    'POST /plans/{id}/apply: dry_run': plan('a dry run is 207 dry_run and changes nothing'),
    'POST /plans/{id}/apply: 400 missing id, bad body': plan('the body %j: %i %s'),
    'POST /plans/{id}/apply: 500 when no result was produced': failure('an apply without a result: 500'),
    'GET /applied: plan_id required': gate('actions: a tenant with no registry gives 0; applied steps need a plan_id'),
    'GET /actions: sorted': http('what else the checkout brings is served with the apply: actions and endpoints'),
    'GET /actions: a tenant with no registry gives 0': gate(
      'actions: a tenant with no registry gives 0; applied steps need a plan_id',
    ),
    'two operators at once: one wins, the other gets the operation that is under way': {
      file: 'test/crash/plans.test.ts',
      title: 'of two operators at once one wins, and the other gets the operation that is under way',
    },
    'GET /references/{entity}: sorted; unknown 404': gate(
      'references: sorted, 404 for an unknown entity, 400 for none',
    ),
    'GET /hashes: always 200, 0, empty': gate('hashes: always 200, 0 and an empty array'),
  },
  'Migration plan': {
    'generate: plan_id, source, max_risk, warnings, refusals, steps': plan(
      'shows every step under its capitalised names, with its DDL',
    ),
    'steps: capitalised names': plan('shows every step under its capitalised names, with its DDL'),
    'apply: failed_step, halted_step, error only when set': plan(
      'halts before a step that is riskier than was confirmed, and goes on when it is',
    ),
    'ledger plan fields': plan('is kept, and shown again as the ledger has it'),
    'ledger step fields': plan('is kept, and shown again as the ledger has it'),
  },
  'Superadmin plane': {
    'GET /tenant: {tenants, count}': gate('lists the tenants that are awake'),
    'DELETE /tenant/{tenant}/cache: {invalidated}': gate('drops what a tenant keeps'),
    'the mirror: same shapes, the tenant in the path': http('the mirror plans and applies the tenant in the path'),
    '403 v2.requires_superadmin': gate('the mirror for %s'),
    '400 v2.missing_tenant': gate('the tenant "%s" in the path: %i %s'),
    '400 v2.invalid_tenant': gate('the tenant "%s" in the path: %i %s'),
    '500 v2.list_tenants_failed': failure('hosts that do not answer: 500'),
    '500 v2.invalidate_failed': failure('definitions that do not compile again: 500'),
  },
});
