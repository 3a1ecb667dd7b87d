/** A request as the engine sees it. */
import type { Call } from '#actors/host/call.ts';
import { nextSlice } from '#actors/host/slice-ring.ts';
import type { Work } from '#actors/host/work.ts';
import { ANONYMOUS } from '#actors/protocol/principal.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import type { Models } from '../entity/models.ts';
import { Parameters } from '../entity/parameters.ts';
import type { RequestView, Session } from '../entity/session.ts';
import { logDenial } from './log-denial.ts';
import { servedModels } from '../part.ts';

const NO_PARAMETERS = new Parameters(new URLSearchParams());

/** The parameters of a call; most have none. */
export function parametersOf(call: Call): Parameters {
  return call.rawQuery === '' ? NO_PARAMETERS : new Parameters(call.query);
}

const replaced = new WeakMap<Call, Session>();

/** The session that a call has from here on: what it does may have to be done again. */
export function useSession(call: Call, session: Session): void {
  replaced.set(call, session);
}

/** The session of a call at its tenant. */
export function sessionOf(call: Call): Session {
  const own = replaced.get(call);
  if (own !== undefined) return own;
  return sessionAs(call, call.principal ?? ANONYMOUS, servedModels(call.activation));
}

/** The session of any work on a tenant, in a principal's name. */
export function sessionAs(work: Work, principal: Principal, models: Models): Session {
  const { context, exclusive, store, tenantNo } = work.activation;
  return {
    principal,
    clock: context.clock,
    ids: context.ids,
    random: (bytes) => context.random(bytes),
    turn() {
      exclusive.check(work);
      return work.turn();
    },
    hold: () => exclusive.take(work),
    snapshot() {
      const snapshot = store.snapshot();
      work.saw(snapshot.newest);
      return snapshot;
    },
    async yieldTurn() {
      await nextSlice(tenantNo);
      if (!exclusive.isHeldBy(work)) await new Promise<void>((resolve) => exclusive.whenFree(resolve));
    },
    model: (entity) => models.get(entity),
    denied: (denial) => logDenial(work.activation, principal, denial),
  };
}

/** What rules see of a call; HEAD asks what GET asks. */
export function requestOf(call: Call, operation: string, id: unknown, data: unknown): RequestView {
  const method = call.method === 'HEAD' ? 'GET' : call.method;
  return { method, operation, entity: call.param('entity'), id, data };
}
