/** The vault as its thread hosts it. It knows tenants only by headers and keys of records. */
import { limits } from '#config/limits.ts';
import { defineService } from '#actors/host/service.ts';
import type { Call } from '#actors/host/call.ts';
import type { AnyHandler, Handlers, Service } from '#actors/host/service.ts';
import { VERB } from '#actors/protocol/frame.ts';
import { handlersOf } from './handlers.ts';
import type { Keeper } from './keeper.ts';
import type { PkiRoom } from './pki-room.ts';
import { refuse } from './refusals.ts';
import { routes } from './routes.ts';
import type { Routes } from './routes.ts';

const WHEN_FULL = { headers: { 'Retry-After': String(limits.storage.fullRetrySeconds) } };
const RETRY = { headers: { 'Retry-After': String(limits.host.retryAfterSeconds) } };

/** The same handlers, with their durations measured. */
function timed(keeper: Keeper, handlers: Handlers<Routes>): Handlers<Routes> {
  const { meter } = keeper.parts;
  const entries = Object.entries(handlers as Record<string, AnyHandler>).map(([name, handler]) => [
    name,
    async (call: Call) => {
      const began = meter.seconds();
      const outcome = await handler(call);
      meter.answered(call.header(VERB) ?? call.method, meter.seconds() - began);
      return outcome;
    },
  ]);
  return Object.fromEntries(entries) as Handlers<Routes>;
}

export function vaultService(keeper: Keeper, pki: PkiRoom): Service {
  return defineService({
    name: 'vault',
    routes,
    handlers: timed(keeper, handlersOf(keeper, pki)),
    authenticate: (call) => keeper.authenticate(call),
    unavailable: (_call, why) => {
      if (why === 'overloaded') return refuse('vault.unavailable', RETRY);
      return why === 'storage_full' ? refuse('vault.storage_full', WHEN_FULL) : refuse('vault.internal');
    },
    activate: () => undefined,
  });
}
