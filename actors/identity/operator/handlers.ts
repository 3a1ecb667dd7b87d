/** The handler of each route of the superadmin plane. */
import type { Handlers } from '#actors/host/service.ts';
import type { Identity } from '../identity.ts';
import { toldLater } from '../told.ts';
import { impersonate } from './impersonate.ts';
import { provisionTenant } from './provision-tenant.ts';
import { registerTenant } from './register-tenant.ts';
import type { operatorRoutes } from './routes.ts';

export function operatorHandlers(identity: Identity): Handlers<typeof operatorRoutes> {
  return {
    registerTenant: (call) => toldLater(identity, call, 'tenant_register', () => registerTenant(identity, call)),
    provisionTenant: (call) => toldLater(identity, call, 'tenant_provision', () => provisionTenant(identity, call)),
    impersonate: (call) => toldLater(identity, call, 'impersonate', () => impersonate(identity, call)),
  };
}
