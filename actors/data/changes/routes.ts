/** The routes of the change feed (docs/contract/changes.md §4, §7, §8). */
import { SOCKET } from '#actors/protocol/frame.ts';
import { defineRoutes } from '#actors/protocol/route.ts';
import type { refusals } from '../refusals.ts';
import { BODY_REFUSALS } from '../admin/body-refusals.ts';
import { changesPage } from '../shapes.ts';
import { changing, connecting, looking } from '../who.ts';
import { groupAcknowledged, groupPlace } from './group/shapes.ts';

export const changeRows = defineRoutes<typeof refusals>()({
  changes: {
    position: 'door',
    callers: looking(),
    ack: 'fsync',
    methods: ['GET'],
    path: '/data/changes',
    headers: ['accept', 'last-event-id'],
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
      'v2.changes_group_not_found',
      'v2.changes_group_denied',
      'v2.changes_group_unplaced',
    ],
    summary: 'Changes of rows behind a position: one answer, or a stream of server-sent events',
  },
  changes_acknowledge: {
    position: 'door',
    callers: changing(),
    ack: 'fsync',
    emptyParams: true,
    methods: ['POST'],
    path: '/data/changes/groups/{name}',
    body: 'json',
    request: groupAcknowledged,
    replies: { 200: groupPlace },
    refusals: [
      'unauthorized',
      'v2.no_tenant',
      'v2.engine_unavailable',
      'v2.forbidden',
      ...BODY_REFUSALS,
      'v2.changes_position_over',
      'v2.changes_group_not_found',
      'v2.changes_group_denied',
    ],
    summary: 'Acknowledge changes up to a position: a consumer group goes on behind it',
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
