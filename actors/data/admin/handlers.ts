/** Which function answers which row of the admin plane; the gate stands before them (gate.ts). */
import type { Call } from '#actors/host/call.ts';
import type { AnyHandler, Handlers } from '#actors/host/service.ts';
import { reply } from '#actors/protocol/route.ts';
import { clearTenantCache } from './clear-tenant-cache.ts';
import { datastoreChecked } from './gate.ts';
import { superadminHandlers } from './mirror.ts';
import { references } from './references.ts';
import { adminRows } from './routes.ts';
import type { AdminRows } from './routes.ts';
import { upkeepHandlers } from './upkeep-handlers.ts';

export const adminHandlers: Handlers<AdminRows> = {
  ...upkeepHandlers,
  references,
  hashes: () => reply(200, { count: 0, hashes: [] }),
};

/** What this tenant answers to superadmins of other positions, who are judged already; by the names of the mirror's rows. */
export const relayedHandlers: Readonly<Record<string, AnyHandler>> = {
  ...(superadminHandlers(adminRows, datastoreChecked(adminRows, adminHandlers)) as Readonly<
    Record<string, AnyHandler>
  >),
  superadmin_cache_clear: (call: Call) => clearTenantCache(call),
};
