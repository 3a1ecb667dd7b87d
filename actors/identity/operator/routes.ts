/** Routes of the superadmin plane as data. Spec: docs/contract/identity-users.md §6, §7. */
import { callers } from '#actors/protocol/callers.ts';
import { defineRoutes } from '#actors/protocol/route.ts';
import { CALLER_IP } from '#actors/protocol/frame.ts';
import { credential } from '../credential.ts';
import type { refusals } from '../refusals.ts';
import {
  impersonateReply,
  impersonateRequest,
  provisionReply,
  provisionRequest,
  registerReply,
  registerRequest,
} from './shapes.ts';

const row = { methods: ['POST'], position: 'host', body: 'json', ack: 'fsync' } as const;
/** The role is valid in the plane in which it was given: a tenant's superadmin makes no tenants, not even its own. */
const operators = callers({ users: [{ roles: ['superadmin'], from: 'over' }] });
/** Neither role implies the other. Only operators of a plane may act for users of its tenants. */
const impersonator = { roles: ['impersonate', 'impersonate-readonly'], from: 'plane' } as const;
const superadmin = [
  ...credential,
  'bad_request',
  'requires_superadmin',
  'persist_failed',
  'engine_unavailable',
] as const;

export const operatorRoutes = defineRoutes<typeof refusals>()({
  registerTenant: {
    ...row,
    callers: operators,
    path: '/superadmin/registry/tenants',
    request: registerRequest,
    replies: { 201: registerReply },
    refusals: superadmin,
    summary: 'Register a tenant, or show the record it has; superadmin',
  },
  provisionTenant: {
    ...row,
    callers: operators,
    path: '/superadmin/registry/tenants/{key}/provision',
    request: provisionRequest,
    replies: { 200: provisionReply },
    refusals: [...superadmin, 'unknown_tenant', 'provision_failed'],
    summary: 'Bring a registered tenant to active; safe to repeat; superadmin',
  },
  impersonate: {
    ...row,
    callers: callers({
      users: [impersonator],
      keys: impersonator,
      further: 'the role of the mode, a grant for the tenant and the consent of the user',
    }),
    path: '/superadmin/impersonate',
    headers: [CALLER_IP, 'user-agent'],
    request: impersonateRequest,
    replies: { 200: impersonateReply },
    refusals: [
      ...credential,
      'bad_request',
      'reason_required',
      'impersonation_denied',
      'mint_failed',
      'persist_failed',
      'engine_unavailable',
    ],
    summary: 'Act for a user who allows it, with a grant, a role and a reason; the user can see the session',
  },
});
