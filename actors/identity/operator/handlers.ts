/** One line per route of the superadmin plane. */
import { limits } from '#config/limits.ts';
import type { Handlers } from '#actors/host/service.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import type { Identity } from '../identity.ts';
import { NodeBusy } from '../node-line.ts';
import { refuse } from '../refusals.ts';
import { toldLater } from '../told.ts';
import { impersonate } from './impersonate.ts';
import { provisionTenant } from './provision-tenant.ts';
import { registerTenant } from './register-tenant.ts';
import type { operatorRoutes } from './routes.ts';

export function operatorHandlers(identity: Identity): Handlers<typeof operatorRoutes> {
  return {
    registerTenant: (call) =>
      toldLater(identity, call, 'tenant_register', () => orBusy(registerTenant(identity, call))),
    provisionTenant: (call) =>
      toldLater(identity, call, 'tenant_provision', () => orBusy(provisionTenant(identity, call))),
    impersonate: (call) => toldLater(identity, call, 'impersonate', () => orBusy(impersonate(identity, call))),
  };
}

/** Too many wait for the node: 503, and a retry makes sense. */
async function orBusy<R>(work: Promise<R>): Promise<R | Refusal<'engine_unavailable'>> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof NodeBusy)) throw error;
    const headers = { 'Retry-After': String(limits.host.retryAfterSeconds) };
    return refuse('engine_unavailable', { status: 503, headers });
  }
}
