/**
 * Plans of a tenant as data. Spec: docs/contract/identity-users.md §6.1.
 * Who may call them: a superadmin of the control plane or of the tenant's operator plane, by a bearer, as the registry's routes have it. What they cost: making a plan reads
 * one product on a thread of jobs and compares it in turns; an apply is that of the admin plane, with its lock and slices. Whom they hurt: the tenant in
 * the path alone: a plan that fails leaves it with the steps that are done, and served.
 */
import { callers } from '#actors/protocol/callers.ts';
import { defineRoutes } from '#actors/protocol/route.ts';
import { authBody } from '../auth-body.ts';
import { credentialHere } from '../credential.ts';
import type { refusals } from '../refusals.ts';
import { applyReply, applyRequest, planMade, planRequest, planShown } from './shapes.ts';

const PLANS = '/superadmin/registry/tenants/{key}/plans';
const row = {
  position: 'host',
  callers: callers({ users: [{ roles: ['superadmin'], from: 'over' }] }),
  ack: 'fsync',
  rate: 'auth_admin',
} as const;
const refused = [
  ...credentialHere,
  'bad_request',
  'requires_superadmin',
  'unknown_tenant',
  'product_refused',
  'deploy_failed',
  'engine_unavailable',
] as const;

export const tenantPlanRoutes = defineRoutes<typeof refusals>()({
  makeTenantPlan: {
    ...row,
    methods: ['POST'],
    path: PLANS,
    ...authBody,
    request: planRequest,
    replies: { 200: planMade },
    refusals: refused,
    summary:
      'Make the plan that leads a tenant to the checkout of its product, or back to the revision of before; applies nothing; superadmin',
  },
  showTenantPlan: {
    ...row,
    methods: ['GET'],
    path: `${PLANS}/{id}`,
    body: 'none',
    replies: { 200: planShown },
    refusals: refused,
    summary: 'Show a plan of a tenant and how far each step is; superadmin',
  },
  applyTenantPlan: {
    ...row,
    methods: ['POST'],
    path: `${PLANS}/{id}/apply`,
    ...authBody,
    request: applyRequest,
    replies: { 200: applyReply, 207: applyReply },
    refusals: refused,
    summary: 'Apply a plan of a tenant up to a confirmed risk; superadmin',
  },
});
