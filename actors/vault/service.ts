/** The vault as its thread hosts it. It knows no tenant but by headers and keys of records. */
import { limits } from '#config/limits.ts';
import { defineService } from '#actors/host/service.ts';
import type { Service } from '#actors/host/service.ts';
import { handlersOf } from './handlers.ts';
import type { Keeper } from './keeper.ts';
import type { PkiRoom } from './pki-room.ts';
import { refuse } from './refusals.ts';
import { routes } from './routes.ts';

const RETRY = { headers: { 'Retry-After': String(limits.host.retryAfterSeconds) } };

export function vaultService(keeper: Keeper, pki: PkiRoom): Service {
  return defineService({
    name: 'vault',
    routes,
    handlers: handlersOf(keeper, pki),
    authenticate: (call) => keeper.authenticate(call),
    unavailable: (_call, why) => {
      if (why === 'overloaded') return refuse('vault.unavailable', RETRY);
      return refuse(why === 'storage_full' ? 'vault.storage_full' : 'vault.internal');
    },
    activate: () => undefined,
  });
}
