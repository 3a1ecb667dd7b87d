/**
 * What a tenant's administrators ask of its content (docs/contract/content.md §6.1). No app can be named `-`, so that no path here is one of an app.
 * Who may ask: administrators and superadmins of the tenant, as on data's admin plane.
 */
import { callers } from '#actors/protocol/callers.ts';
import { defineRoutes } from '#actors/protocol/route.ts';
import type { refusals } from '../refusals.ts';
import * as shapes from './shapes.ts';

const ADMINISTRATORS = ['admin', 'tenant_admin', 'superadmin'];
const administrators = { roles: ADMINISTRATORS, anyCase: true } as const;
const plane = { position: 'door', rate: 'content_anonymous', ack: 'fsync', body: 'none' } as const;
const reading = {
  ...plane,
  callers: callers({ users: [{ ...administrators, impersonation: 'readonly' }] }),
  methods: ['GET'],
} as const;
const changing = {
  ...plane,
  callers: callers({ users: [{ ...administrators, impersonation: 'full' }] }),
  methods: ['POST'],
} as const;
const everywhere = [
  'content.unauthorized',
  'content.forbidden',
  'content.bad_query',
  'content.failed',
  'content.unavailable',
  'content.storage_full',
] as const;

export const adminRows = defineRoutes<typeof refusals>()({
  apps: {
    ...reading,
    path: '/content/-/apps',
    replies: { 200: shapes.apps },
    refusals: everywhere,
    summary: 'List the declared apps with their types, locales and webhooks, for administrators',
  },
  type_read: {
    ...reading,
    path: '/content/-/apps/{app}/{type}',
    replies: { 200: shapes.type },
    refusals: [...everywhere, 'content.app_not_found', 'content.type_not_found'],
    summary: 'Describe a type of an app with its fields, for administrators',
  },
  deliveries: {
    ...reading,
    path: '/content/-/deliveries',
    replies: { 200: shapes.deliveries },
    refusals: everywhere,
    summary: 'List deliveries of webhooks that wait, then those that ended, newest first: `outcome`, `limit`, `after`',
  },
  delivery_redeliver: {
    ...changing,
    path: '/content/-/deliveries/{id}/redeliver',
    replies: { 200: shapes.redelivered },
    refusals: [...everywhere, 'content.delivery_not_found', 'content.outbox_full'],
    summary: 'Put a delivery that ended back, under its id; one that waits is tried soon',
  },
});
export type AdminRows = typeof adminRows;
