/** The vault as its thread hosts it. It knows tenants only by headers and keys of records. */
import { defineService, type AnyHandler, type Handlers, type Service } from '#actors/host/service.ts';
import type { Call } from '#actors/host/call.ts';
import type { Why } from '#actors/host/why.ts';
import { VERB } from '#actors/protocol/frame.ts';
import { handlersOf } from './handlers.ts';
import type { Keeper } from './keeper.ts';
import type { PkiRoom } from './pki-room.ts';
import { refuse } from './refusals.ts';
import { routes, type Routes } from './routes.ts';

const UNAVAILABLE = {
  overloaded: 'vault.unavailable',
  storage_full: 'vault.storage_full',
  stopped: 'vault.internal',
  too_costly: 'vault.internal',
  fault: 'vault.internal',
} as const satisfies Record<Why, string>;

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
    unavailable: (_call, why) => refuse(UNAVAILABLE[why]),
    activate: () => undefined,
  });
}
