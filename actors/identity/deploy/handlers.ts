/** The handler of each route of deploys. */
import type { Handlers } from '#actors/host/service.ts';
import type { Identity } from '../identity.ts';
import { toldLater } from '../told.ts';
import { applyPlan } from './apply-plan.ts';
import { listTenants } from './list-tenants.ts';
import { planTenant } from './plan-tenant.ts';
import type { deployRoutes } from './routes.ts';
import { takeRevision } from './take-revision.ts';

export function deployHandlers(identity: Identity): Handlers<typeof deployRoutes> {
  return {
    deployTenants: (call) => toldLater(identity, call, 'deploy_tenants', () => listTenants(identity, call)),
    deployRevision: (call) => toldLater(identity, call, 'deploy_revision', () => takeRevision(identity, call)),
    deployPlan: (call) => toldLater(identity, call, 'deploy_plan', () => planTenant(identity, call)),
    deployApply: (call) => toldLater(identity, call, 'deploy_apply', () => applyPlan(identity, call)),
  };
}
