/** Routes that export or erase one person, as data. Spec: docs/contract/privacy.md §2, §3. */
import { callers } from '#actors/protocol/callers.ts';
import { defineRoutes } from '#actors/protocol/route.ts';
import { credentialHere } from '../credential.ts';
import { administrators } from '../people/routes.ts';
import type { refusals } from '../refusals.ts';
import { erasureReply, erasuresReply, exportReply } from './shapes.ts';

const row = { position: 'host', callers: administrators, body: 'none', ack: 'fsync' } as const;
const always = [...credentialHere, 'requires_tenant_admin', 'engine_unavailable'] as const;

export const privacyRoutes = defineRoutes<typeof refusals>()({
  exportUser: {
    ...row,
    methods: ['GET'],
    path: '/auth/admin/users/{id}/export',
    rate: 'auth_export',
    replies: { 200: exportReply },
    refusals: [...always, 'unknown_user', 'user_out_of_reach', 'exports_full'],
    summary: 'All that the node holds of a user, line by line',
  },
  eraseUser: {
    ...row,
    methods: ['POST'],
    path: '/auth/admin/users/{id}/erase',
    rate: 'auth_admin',
    replies: { 202: erasureReply },
    refusals: [...always, 'unknown_user', 'user_out_of_reach', 'last_administrator', 'erasures_full', 'persist_failed'],
    summary:
      'Delete a user, and erase the person in data and beside the audit log; GET /auth/admin/erasures says how far it is',
  },
  listErasures: {
    ...row,
    methods: ['GET'],
    path: '/auth/admin/erasures',
    rate: 'auth_admin',
    replies: { 200: erasuresReply },
    refusals: always,
    summary: 'Erasures, oldest first, with what became of each',
  },
  exportMe: {
    ...row,
    /** The user alone: an operator who acts for the user exports with the command line, on record. */
    callers: callers({ users: [{}], further: 'the own account' }),
    methods: ['GET'],
    path: '/auth/me/export',
    rate: 'auth_export',
    replies: { 200: exportReply },
    refusals: [...credentialHere, 'engine_unavailable', 'account_denied', 'no_accounts', 'exports_full'],
    summary: 'All that the node holds of oneself, line by line',
  },
});
