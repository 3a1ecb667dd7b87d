/** A request as the engine sees it. */
import type { Call } from '#actors/host/call.ts';
import { ANONYMOUS } from '#actors/protocol/principal.ts';
import type { Session } from '../entity/session.ts';
import { partOf } from '../part.ts';

const yieldTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** The session of a call at its tenant. */
export function sessionOf(call: Call): Session {
  const { activation } = call;
  const { models } = partOf(activation);
  const { clock, ids } = activation.context;
  return {
    principal: call.principal ?? ANONYMOUS,
    clock,
    ids,
    method: call.method,
    random: (bytes) => activation.context.random(bytes),
    turn: () => call.turn(),
    snapshot() {
      const snapshot = activation.store.snapshot();
      call.saw(snapshot.newest);
      return snapshot;
    },
    yieldTurn,
    model: (entity) => models.get(entity),
  };
}
