/** The superadmin plane's own rows; the others mirror the admin plane (docs/contract/data-admin.md §9.1). */
import { defineRoutes } from '#actors/protocol/route.ts';
import type { refusals } from '../refusals.ts';
import { MIRROR, SUPERADMIN_REFUSALS } from './mirror.ts';
import { LISTERS, OVERSEERS } from './class.ts';
import { invalidated, tenantList } from './shapes.ts';

const plane = { position: 'door', ack: 'fsync', emptyParams: true, body: 'none' } as const;

/** Rows that the tenant in the path answers. */
export const targetedRows = defineRoutes<typeof refusals>()({
  superadmin_cache_clear: {
    ...plane,
    callers: OVERSEERS,
    methods: ['DELETE'],
    path: `${MIRROR}/cache`,
    replies: { 200: invalidated },
    refusals: [...SUPERADMIN_REFUSALS, 'v2.invalidate_failed'],
    summary: 'Drop the caches of a tenant',
  },
});

export const nodeRows = defineRoutes<typeof refusals>()({
  superadmin_tenants: {
    ...plane,
    callers: LISTERS,
    methods: ['GET'],
    path: '/data/superadmin/tenant',
    replies: { 200: tenantList },
    refusals: [
      'unauthorized',
      'v2.no_tenant',
      'v2.engine_unavailable',
      'v2.requires_superadmin',
      'v2.list_tenants_failed',
    ],
    summary: 'List the tenants that are awake',
  },
});
