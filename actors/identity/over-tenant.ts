/** What rows have in common by which a superadmin works at a tenant from above it. Spec: docs/contract/identity-users.md §6.2. */
import { callers } from '#actors/protocol/callers.ts';
import { credentialHere } from './credential.ts';

export const overTenant = {
  position: 'host',
  callers: callers({ users: [{ roles: ['superadmin'], from: 'over' }] }),
  ack: 'fsync',
  rate: 'auth_admin',
} as const;

export const overTenantRefused = [
  ...credentialHere,
  'bad_request',
  'requires_superadmin',
  'unknown_tenant',
  'product_refused',
  'deploy_failed',
  'engine_unavailable',
] as const;
