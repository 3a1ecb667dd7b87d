/** The routes of the change feed (docs/contract/changes.md §4, §7). */
import { SOCKET, VERB } from '#actors/protocol/frame.ts';
import { defineRoutes } from '#actors/protocol/route.ts';
import type { refusals } from '../refusals.ts';
import { changesPage, changesTicket } from '../shapes.ts';
import { connecting, looking, subscribing } from '../who.ts';

export const changeRows = defineRoutes<typeof refusals>()({
  changes: {
    position: 'door',
    callers: subscribing,
    ticketed: true,
    ack: 'fsync',
    methods: ['GET'],
    path: '/data/changes',
    headers: ['accept', 'last-event-id', VERB],
    body: 'none',
    // A stream has to leave event by event.
    compressed: false,
    replies: { 200: changesPage },
    refusals: [
      'unauthorized',
      'v2.no_tenant',
      'v2.engine_unavailable',
      'v2.missing_entity',
      'v2.entity_not_found',
      'v2.query_failed',
      'v2.changes_not_declared',
      'v2.changes_position_over',
      'v2.changes_full',
    ],
    summary: 'Changes of rows behind a position: one answer, or a stream of server-sent events',
  },
  changes_ticket: {
    position: 'door',
    callers: looking(),
    whileReadOnly: true,
    ack: 'fsync',
    methods: ['POST'],
    path: '/data/changes/ticket',
    body: 'none',
    compressed: false,
    replies: { 200: changesTicket },
    refusals: [
      'unauthorized',
      'v2.no_tenant',
      'v2.engine_unavailable',
      'v2.missing_entity',
      'v2.entity_not_found',
      'v2.query_failed',
      'v2.changes_not_declared',
      'v2.changes_full',
    ],
    summary: 'A ticket for one stream of changes: a page opens it by EventSource, which sends no header',
  },
  live: {
    position: 'door',
    callers: connecting,
    rate: 'data_anonymous',
    socket: true,
    ack: 'fsync',
    methods: ['GET'],
    path: '/data/live',
    headers: [SOCKET],
    body: 'none',
    compressed: false,
    replies: { 101: null },
    refusals: ['unauthorized', 'v2.no_tenant', 'v2.engine_unavailable', 'v2.live_wants_websocket'],
    summary: 'Changes of rows over a WebSocket: many subscriptions a connection',
  },
});
