/**
 * Plans of a tenant as data. Spec: docs/contract/identity-users.md §6.1.
 * Who may call them: a superadmin of the control plane or of the tenant's operator plane, by a bearer, as the registry's routes have it. What they cost: making a plan reads
 * one product on a thread of jobs and compares it in turns; an apply is that of the admin plane, with its lock and slices. Whom they hurt: the tenant in
 * the path alone: a plan that fails leaves it with the steps that are done, and served.
 */
import { defineRoutes } from '#actors/protocol/route.ts';
import { authBody } from '../auth-body.ts';
import { overTenant, overTenantRefused } from '../over-tenant.ts';
import type { refusals } from '../refusals.ts';
import { applyReply, applyRequest, planMade, planRequest, planShown } from './shapes.ts';

const PLANS = '/superadmin/registry/tenants/{key}/plans';

export const tenantPlanRoutes = defineRoutes<typeof refusals>()({
  makeTenantPlan: {
    ...overTenant,
    methods: ['POST'],
    path: PLANS,
    ...authBody,
    request: planRequest,
    replies: { 200: planMade },
    refusals: overTenantRefused,
    summary:
      'Make the plan that leads a tenant to the checkout of its product, or back to the revision of before; applies nothing; superadmin',
  },
  showTenantPlan: {
    ...overTenant,
    methods: ['GET'],
    path: `${PLANS}/{id}`,
    body: 'none',
    replies: { 200: planShown },
    refusals: overTenantRefused,
    summary: 'Show a plan of a tenant and how far each step is; superadmin',
  },
  applyTenantPlan: {
    ...overTenant,
    methods: ['POST'],
    path: `${PLANS}/{id}/apply`,
    ...authBody,
    request: applyRequest,
    replies: { 200: applyReply, 207: applyReply },
    refusals: overTenantRefused,
    summary: 'Apply a plan of a tenant up to a confirmed risk; superadmin',
  },
});
