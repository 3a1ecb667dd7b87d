/** A request as the engine sees it. */
import type { Call } from '#actors/host/call.ts';
import { ANONYMOUS } from '#actors/protocol/principal.ts';
import { Parameters } from '../entity/parameters.ts';
import type { RequestView, Session } from '../entity/session.ts';
import { servedModels } from '../part.ts';

const NO_PARAMETERS = new Parameters(new URLSearchParams());

/** The parameters of a call; most have none. */
export function parametersOf(call: Call): Parameters {
  return call.rawQuery === '' ? NO_PARAMETERS : new Parameters(call.query);
}

const yieldTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** The session of a call at its tenant. */
export function sessionOf(call: Call): Session {
  const { activation } = call;
  const models = servedModels(activation);
  const { clock, ids } = activation.context;
  return {
    principal: call.principal ?? ANONYMOUS,
    clock,
    ids,
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

/** What rules see of a call; HEAD asks what GET asks. */
export function requestOf(call: Call, operation: string, id: unknown, data: unknown): RequestView {
  const method = call.method === 'HEAD' ? 'GET' : call.method;
  return { method, operation, entity: call.param('entity'), id, data };
}
