/** Rows of the metric table (metric-rows.ts) for what callers hold open. */
import { SUBSCRIBER_KINDS } from '#actors/data/live-counts.ts';
import { LIVE_ENDS, LIVE_PROTOCOLS } from '#runtime/door/live/live-figures.ts';

const none = {};

export const LIVE_METRICS = {
  liveConnections: {
    name: 'skep_live_connections',
    type: 'gauge',
    help: 'WebSockets that are open. live: /data/live; graphql: graphql-transport-ws.',
    labels: { protocol: LIVE_PROTOCOLS },
    across: 'sum',
  },
  liveClosed: {
    name: 'skep_live_closed_total',
    type: 'counter',
    help: 'WebSockets that have closed. slow: the caller took too little, or left too much unread; unread: the node held too many unread bytes; gone: the caller left; the others: what the node closed it with.',
    labels: { why: LIVE_ENDS },
    across: 'sum',
  },
  liveUnsent: {
    name: 'skep_live_unsent_bytes',
    type: 'gauge',
    help: 'Bytes sent over WebSockets that their callers have not taken.',
    labels: none,
    across: 'sum',
  },
  subscribers: {
    name: 'skep_subscribers',
    type: 'gauge',
    help: 'Subscribers of changes. sse: server-sent events; poll: pages that wait; live: subscriptions over /data/live; graphql: subscriptions of GraphQL, over both.',
    labels: { kind: SUBSCRIBER_KINDS },
    across: 'sum',
  },
  channelMembers: {
    name: 'skep_channel_members',
    type: 'gauge',
    help: 'Members of channels.',
    labels: none,
    across: 'sum',
  },
} as const;
