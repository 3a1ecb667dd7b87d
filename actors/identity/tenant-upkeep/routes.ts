/**
 * Locks, seeds and retention of a tenant, for operators, as data. Spec: docs/contract/identity-users.md §6.2.
 * Who may call them: a superadmin of the control plane or of the tenant's operator plane, by a bearer, as the registry's routes have it. What they cost: lists are bounded by
 * the product's definitions; a run is that of the admin plane, under the tenant's lock of its kind and in slices between the turns of others. Whom they hurt: the tenant in the
 * path alone. A pass deletes rows for good and a released lock fails the work that held it, so both are on record with their caller, here and at the tenant.
 */
import { defineRoutes } from '#actors/protocol/route.ts';
import * as told from '#actors/protocol/upkeep-shapes.ts';
import { authBody } from '../auth-body.ts';
import { overTenant, overTenantRefused } from '../over-tenant.ts';
import type { refusals } from '../refusals.ts';
import { retentionRequest, seedsRequest } from './shapes.ts';

const TENANT = '/superadmin/registry/tenants/{key}';
const row = {
  ...overTenant,
  refusals: overTenantRefused,
} as const;
const reading = { ...row, methods: ['GET'], body: 'none' } as const;
const running = { ...row, ...authBody, methods: ['POST'] } as const;

export const tenantUpkeepRoutes = defineRoutes<typeof refusals>()({
  tenantLocks: {
    ...reading,
    path: `${TENANT}/locks`,
    replies: { 200: told.lockList },
    summary: 'List the locks of a tenant; superadmin',
  },
  releaseTenantLock: {
    ...row,
    methods: ['DELETE'],
    path: `${TENANT}/locks/{resource}`,
    body: 'none',
    replies: { 200: told.lockReleased },
    summary: 'Release any lock of a tenant: its holder fails at the next heartbeat; superadmin',
  },
  tenantSeeds: {
    ...reading,
    path: `${TENANT}/seeds`,
    replies: { 200: told.seedList },
    summary: 'List the seeds of a tenant with what its ledger knows of them; superadmin',
  },
  runTenantSeeds: {
    ...running,
    path: `${TENANT}/seeds/runs`,
    request: seedsRequest,
    replies: { 200: told.seedReport, 207: told.seedReport },
    summary: 'Try or run seeds of a tenant; 207 when one failed; superadmin',
  },
  tenantRetention: {
    ...reading,
    path: `${TENANT}/retention/entities`,
    replies: { 200: told.retentionEntities },
    summary: 'List how long a tenant keeps its rows; superadmin',
  },
  previewTenantRetention: {
    ...reading,
    path: `${TENANT}/retention/preview`,
    replies: { 200: told.retentionPreview },
    summary: 'Count what a pass of retention of a tenant would find; superadmin',
  },
  runTenantRetention: {
    ...running,
    path: `${TENANT}/retention/runs`,
    request: retentionRequest,
    replies: { 200: told.retentionReport, 207: told.retentionReport },
    summary: 'Run a pass of retention of a tenant; 207 when a row failed; superadmin',
  },
});
