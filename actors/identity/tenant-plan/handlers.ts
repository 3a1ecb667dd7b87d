/** The handler of each route of a tenant's plans. */
import type { Handlers } from '#actors/host/service.ts';
import type { Identity } from '../identity.ts';
import { toldLater } from '../told.ts';
import { applyTenantPlan } from './apply-plan.ts';
import { makeTenantPlan } from './make-plan.ts';
import type { tenantPlanRoutes } from './routes.ts';
import { showTenantPlan } from './show-plan.ts';

export function tenantPlanHandlers(identity: Identity): Handlers<typeof tenantPlanRoutes> {
  return {
    makeTenantPlan: (call) => toldLater(identity, call, 'tenant_plan', () => makeTenantPlan(identity, call)),
    showTenantPlan: (call) => toldLater(identity, call, 'tenant_plan_show', () => showTenantPlan(identity, call)),
    applyTenantPlan: (call) => toldLater(identity, call, 'tenant_plan_apply', () => applyTenantPlan(identity, call)),
  };
}
