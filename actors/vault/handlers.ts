/** One handler per route row of routes.ts. */
import type { Handlers } from '#actors/host/service.ts';
import type { Call } from '#actors/host/call.ts';
import { healthy } from '#actors/host/readiness.ts';
import { reply } from '#actors/protocol/route.ts';
import { certificateHandlers } from './certificate/certificate-handlers.ts';
import { get } from './secret/get.ts';
import { guarded } from './guard.ts';
import type { Keeper } from './keeper.ts';
import { list, versions } from './secret/list.ts';
import { nodeHandlers } from './node/node-handlers.ts';
import type { PkiRoom } from './pki-room.ts';
import { put } from './secret/put.ts';
import { refuse } from './refusals.ts';
import { remove } from './secret/remove.ts';
import type { Routes } from './routes.ts';
import { init, rotateTenant, seal, showSeal, unseal } from './seal/seal-verbs.ts';
import { reasonsOf, statusOf } from './status.ts';
import { BackendDown } from './store.ts';

export function handlersOf(keeper: Keeper, pki: PkiRoom): Handlers<Routes> {
  const by = <O>(verb: (keeper: Keeper, call: Call) => Promise<O>) => guarded((call) => verb(keeper, call));
  return {
    ready: async () => {
      const reasons = await reasonsOf(keeper);
      return reasons.length === 0 ? reply(200, { ready: true }) : reply(503, { ready: false, reasons });
    },
    health: () => healthy(keeper.parts.version),
    status: by(async (_keeper, call) => {
      const refused = await keeper.allow(call, 'read', 'status');
      return refused ?? reply(200, await statusOf(keeper));
    }),
    put: by(put),
    get: by(get),
    remove: by(remove),
    versions: by(versions),
    list: by(list),
    sealStatus: async () => {
      try {
        return await showSeal(keeper);
      } catch (error) {
        if (error instanceof BackendDown) return refuse('vault-not-connected');
        throw error;
      }
    },
    init: by(init),
    unseal: by(unseal),
    seal: by(seal),
    rotateTenant: by(rotateTenant),
    ...certificateHandlers(pki),
    ...nodeHandlers(pki),
    scaffold: by(async (_keeper, call) => {
      const verb = `${call.param('family')} ${call.param('verb')}`;
      const refused = await keeper.allow(call, 'admin', `operator/${call.param('family')}`);
      return refused ?? refuse('vault.not_implemented', { details: { verb: verb.slice(0, 64) } });
    }),
  };
}
