/** Rooms whose modules take long to load, so that a process loads only those that it may need: before its first run, since nothing in a run waits for real time. */
import type { Port } from '#actors/protocol/channel.ts';
import type { openIntakeRoom } from './intake/room.ts';
import type { Visitors } from './intake/visitors.ts';
import type { ExtraRoom } from './settings.ts';
import type { LivingTenants } from './tenants/living.ts';
import type { Customers } from './tenants/customers.ts';

export interface Parts {
  readonly rooms: readonly ExtraRoom[];
  readonly living: typeof LivingTenants | null;
  readonly customers: typeof Customers | null;
  readonly courier: ((port: Port) => { close(): Promise<void> }) | null;
  readonly intake: typeof openIntakeRoom | null;
  readonly visitors: typeof Visitors | null;
}

export async function loadParts(rooms: readonly ExtraRoom[]): Promise<Parts> {
  const tenants = rooms.includes('tenants')
    ? {
        living: (await import('./tenants/living.ts')).LivingTenants,
        customers: (await import('./tenants/customers.ts')).Customers,
        courier: (await import('./tenants/courier.ts')).openCourier,
      }
    : { living: null, customers: null, courier: null };
  const intake = rooms.includes('intake')
    ? {
        intake: (await import('./intake/room.ts')).openIntakeRoom,
        visitors: (await import('./intake/visitors.ts')).Visitors,
      }
    : { intake: null, visitors: null };
  return { rooms, ...tenants, ...intake };
}
