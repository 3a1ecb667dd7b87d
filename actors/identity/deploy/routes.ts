/**
 * Routes of deploys as data. Spec: docs/contract/platform.md §1.10.
 * Who may call them: a key of the product's operator plane with the role `skep-deployer`, and no other caller, from wherever the gateway is
 * reached. What they cost: a revision has at most `limits.product.archiveBytesMax` bytes as sent and is checked by one job of bounded time, one at
 * a time for each product; plans and applies are those of the admin plane, with its locks and slices. Whom they hurt: the tenants of that product,
 * each by itself: a plan that fails leaves its tenant with the steps that are done, and served.
 */
import { callers } from '#actors/protocol/callers.ts';
import { defineRoutes } from '#actors/protocol/route.ts';
import { DEPLOYER } from '#config/deployer-role.ts';
import { authBody } from '../auth-body.ts';
import { credentialHere } from '../credential.ts';
import type { refusals } from '../refusals.ts';
import { applyReply, applyRequest, planReply, planRequest, revisionReply, tenantsReply } from './shapes.ts';

const row = { position: 'host', ack: 'fsync', rate: 'auth_admin' } as const;
const deployers = callers({ keys: { roles: [DEPLOYER], from: 'plane' } });
const denied = [...credentialHere, 'deploy_denied', 'engine_unavailable'] as const;

export const deployRoutes = defineRoutes<typeof refusals>()({
  deployTenants: {
    ...row,
    callers: deployers,
    methods: ['GET'],
    path: '/superadmin/deploy/tenants',
    body: 'none',
    replies: { 200: tenantsReply },
    refusals: denied,
    summary: 'List the tenants of the product that the key deploys to',
  },
  deployRevision: {
    ...row,
    callers: deployers,
    methods: ['POST'],
    path: '/superadmin/deploy/revisions',
    /** Its handler reads it, after the caller was judged. */
    body: 'stream',
    replies: { 201: revisionReply },
    refusals: [...denied, 'unknown_tenant', 'product_too_large', 'product_refused'],
    summary: 'Send a product as a tar archive, gzipped or not; it is checked and kept, and nothing of it is served yet',
  },
  deployPlan: {
    ...row,
    callers: deployers,
    methods: ['POST'],
    path: '/superadmin/deploy/tenants/{tenant}/plans',
    ...authBody,
    request: planRequest,
    replies: { 200: planReply },
    refusals: [...denied, 'bad_request', 'unknown_tenant', 'unknown_revision', 'product_refused', 'deploy_failed'],
    summary:
      'Make the plan that leads a tenant to a revision that was sent, or back to the one of before; applies nothing',
  },
  deployApply: {
    ...row,
    callers: deployers,
    methods: ['POST'],
    path: '/superadmin/deploy/tenants/{tenant}/plans/{id}/apply',
    ...authBody,
    request: applyRequest,
    replies: { 200: applyReply, 207: applyReply },
    refusals: [...denied, 'bad_request', 'unknown_tenant', 'product_refused', 'deploy_failed'],
    summary: 'Apply a plan up to a confirmed risk: the tenant serves the revision from then on, after a restart too',
  },
});
