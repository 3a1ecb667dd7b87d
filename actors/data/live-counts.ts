/** What callers hold open at a thread's tenants, for the metrics of its node. */

/** How a subscriber of changes is told: as server-sent events, as a page that waits, as messages of `/data/live`, by a subscription of GraphQL. */
export const SUBSCRIBER_KINDS = ['sse', 'poll', 'live', 'graphql'] as const;

export type SubscriberKind = (typeof SUBSCRIBER_KINDS)[number];

export interface LiveCounts {
  readonly subscribers: Record<SubscriberKind, number>;
  /** Members of channels. */
  members: number;
}

export const noLive = (): LiveCounts => ({ subscribers: { sse: 0, poll: 0, live: 0, graphql: 0 }, members: 0 });
