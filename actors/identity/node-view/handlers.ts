/** The handler of each route that shows the node: it judges the caller, ends its turn, and asks main. */
import type { Call } from '#actors/host/call.ts';
import type { Handlers } from '#actors/host/service.ts';
import { reply } from '#actors/protocol/route.ts';
import type { Outcome } from '#actors/protocol/route.ts';
import type { Identity } from '../identity.ts';
import { toldLater } from '../told.ts';
import { refusedOutsider } from './refused-outsider.ts';
import type { nodeViewRoutes } from './routes.ts';

type Rows = typeof nodeViewRoutes;

/** What is shown is of this moment, and for its reader alone. */
const UNKEPT = { 'Cache-Control': 'no-store' } as const;

export function nodeViewHandlers(identity: Identity): Handlers<Rows> {
  return {
    nodeHealth: (call) => toldLater(identity, call, 'node_health', () => showHealth(identity, call)),
  };
}

async function showHealth(identity: Identity, call: Call): Promise<Outcome<Rows['nodeHealth']>> {
  const refusal = refusedOutsider(call);
  if (refusal !== null) return refusal;
  call.abort();
  return reply(200, await identity.node.ask('node.health', null), UNKEPT);
}
