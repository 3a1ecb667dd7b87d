/**
 * What a tenant's administrators ask of its content (docs/contract/content.md §6.1). No app can be named `-`, so that no path here is one of an app.
 * Who may ask: administrators and superadmins of the tenant, as on data's admin plane; of apps and types also users whom the app's rule of previews lets, who are its editors. What it costs: the product's
 * own files, and one rule for each app. Whom it can hurt: no caller; an editor is told what a form needs, of apps whose drafts it reads anyway, and of no webhook.
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
/** Of these the handler says more: `list-apps.ts`, `show-type.ts`. */
const editing = {
  ...plane,
  callers: callers({
    users: [{ impersonation: 'readonly' }],
    further: 'administrators; others by the rule `preview` of the app',
  }),
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
    ...editing,
    path: '/content/-/apps',
    replies: { 200: shapes.apps },
    refusals: everywhere,
    summary:
      'List the declared apps with their types, locales and webhooks, for administrators; for editors those that they edit',
  },
  type_read: {
    ...editing,
    path: '/content/-/apps/{app}/{type}',
    replies: { 200: shapes.type },
    refusals: [...everywhere, 'content.app_not_found', 'content.type_not_found'],
    summary: 'Describe a type of an app with its fields, for administrators and editors',
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
/** Whom every app is shown. */
export const forAdministrators = reading.callers;
export type AdminRows = typeof adminRows;
