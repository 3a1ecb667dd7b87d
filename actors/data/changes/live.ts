/**
 * GET /data/live: whether a handshake becomes a WebSocket (docs/contract/changes.md §7.1). What its messages ask for comes as requests of the change feed (runtime/door/live/).
 */
import type { Call } from '#actors/host/call.ts';
import { SOCKET } from '#actors/protocol/frame.ts';
import { reply } from '#actors/protocol/route.ts';
import type { Outcome } from '#actors/protocol/route.ts';
import { busy, refuse } from '../refusals.ts';
import type { Routes } from '../routes.ts';
import type { Changes } from './changes.ts';

/** A credential that the handshake shows counts here (authenticate.ts); a handshake without one is judged by each message. */
export function live(call: Call, changes: Changes): Outcome<Routes['live']> {
  if (call.header(SOCKET) !== '1') {
    if (call.principal === null) return refuse('unauthorized');
    return refuse('v2.live_wants_websocket', { headers: { Upgrade: 'websocket', Connection: 'Upgrade' } });
  }
  return changes.isRetiring ? busy('the node is about to stop') : reply(101);
}
