/**
 * Whether a handshake becomes a WebSocket (docs/contract/changes.md §7.1, §10.4). What its messages ask for comes as requests of the change feed and of GraphQL
 * (runtime/door/live/).
 */
import type { Call } from '#actors/host/call.ts';
import { SOCKET, SOCKET_PROTOCOL } from '#actors/protocol/frame.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { busy, refuse } from '../refusals.ts';
import type { Routes } from '../routes.ts';
import type { Changes } from './changes.ts';

const GRAPHQL = 'graphql-transport-ws';

/** GET /data/live. */
export function live(call: Call, changes: Changes): Outcome<Routes['live']> {
  return unready(call, changes) ?? reply(101);
}

/** GET /data/graphql/live, and handshakes at /data/graphql. */
export function graphqlLive(call: Call, changes: Changes): Outcome<Routes['graphql_live']> {
  const refusal = unready(call, changes);
  if (refusal !== null) return refusal;
  const spoken = (call.header(SOCKET_PROTOCOL) ?? '').split(',').map((name) => name.trim());
  if (!spoken.includes(GRAPHQL)) return refuse('v2.graphql_wants_protocol');
  return reply(101, undefined, { 'Sec-WebSocket-Protocol': GRAPHQL });
}

/** A credential that the handshake shows counts here (authenticate.ts); a handshake without one is judged by each message. */
function unready(call: Call, changes: Changes) {
  if (call.header(SOCKET) !== '1') {
    if (call.principal === null) return refuse('unauthorized');
    return refuse('v2.live_wants_websocket', { headers: { Upgrade: 'websocket', Connection: 'Upgrade' } });
  }
  return changes.isRetiring ? busy('the node is about to stop') : null;
}
