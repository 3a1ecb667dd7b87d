/** With what a WebSocket of `/data/live` closes (docs/contract/changes.md §7.4; RFC 6455 §7.4). */
export const CLOSED = {
  leaving: { code: 1001, reason: 'the node stops: come back' },
  binary: { code: 1003, reason: 'messages are texts' },
  malformed: { code: 4400, reason: 'a message is malformed' },
  unauthorized: { code: 4401, reason: 'the credential does not count' },
  idle: { code: 4408, reason: 'no subscription for too long' },
  taken: { code: 4409, reason: 'a subscription with this id is open' },
  tooMany: { code: 4429, reason: 'too many messages' },
} as const;

export type Closed = keyof typeof CLOSED;
