/** Counts the WebSockets of all doors of a node, for its metrics (`runtime/observe/door-meter.ts`). */
import { CLOSED, type Closed } from './close-codes.ts';

export const LIVE_PROTOCOLS = ['live', 'graphql'] as const;
export type LiveProtocol = (typeof LIVE_PROTOCOLS)[number];

/**
 * Why a WebSocket has closed: what the node closed it with; `slow`: its caller took too little, or left too much unread; `unread`: the node holds no more unread
 * bytes, and this one had stood still for longest; `gone`: its caller closed it, or is gone.
 */
export type LiveEnd = Closed | 'slow' | 'unread' | 'gone';
export const LIVE_ENDS = [...(Object.keys(CLOSED) as Closed[]), 'slow', 'unread', 'gone'] as const;

export class LiveFigures {
  readonly open: Record<LiveProtocol, number> = { live: 0, graphql: 0 };
  readonly closed = new Map<LiveEnd, number>();
  /** Bytes that callers have not taken. */
  unsentBytes = 0;

  end(protocol: LiveProtocol, why: LiveEnd): void {
    this.open[protocol]--;
    this.closed.set(why, (this.closed.get(why) ?? 0) + 1);
  }
}
