/** The routes of channels (docs/contract/channels.md §3). */
import { VERB } from '#actors/protocol/frame.ts';
import { defineRoutes } from '#actors/protocol/route.ts';
import { BODY_REFUSALS } from '../admin/body-refusals.ts';
import type { refusals } from '../refusals.ts';
import { conversing, listening } from '../who.ts';
import { channelEvents, channelMessage, channelState } from './shapes.ts';

const common = { position: 'door', ack: 'fsync', emptyParams: true, path: '/data/channels/{name}' } as const;
const everywhere = [
  'unauthorized',
  'v2.no_tenant',
  'v2.engine_unavailable',
  'v2.query_failed',
  'v2.channel_not_found',
  'v2.channel_denied',
  'v2.channel_rate',
  'v2.channel_too_large',
] as const;

export const channelRows = defineRoutes<typeof refusals>()({
  channel_join: {
    ...common,
    callers: listening,
    methods: ['GET'],
    headers: ['accept', VERB],
    body: 'none',
    // A stream has to leave event by event.
    compressed: false,
    replies: { 200: channelEvents },
    refusals: [...everywhere, 'v2.channels_full'],
    summary: 'Join a channel: a stream of server-sent events, for as long as the caller is a member',
  },
  channel_send: {
    ...common,
    callers: conversing,
    // Nothing of it is kept.
    whileReadOnly: true,
    methods: ['POST'],
    body: 'json',
    request: channelMessage,
    replies: { 204: null },
    refusals: [...everywhere, ...BODY_REFUSALS, 'v2.forbidden', 'v2.channel_member_not_found'],
    summary: 'Send a message to the members of a channel',
  },
  channel_state: {
    ...common,
    callers: conversing,
    whileReadOnly: true,
    methods: ['PUT'],
    body: 'json',
    request: channelState,
    replies: { 204: null },
    refusals: [...everywhere, ...BODY_REFUSALS, 'v2.forbidden', 'v2.channel_member_not_found'],
    summary: 'Change what a member of a channel says of itself',
  },
});
