/** With what a WebSocket closes (docs/contract/changes.md §7.4, §10.5; RFC 6455 §7.4). */
export const CLOSED = {
  leaving: { code: 1001, reason: 'the node stops: come back' },
  binary: { code: 1003, reason: 'messages are texts' },
  brokeOff: { code: 1012, reason: 'an operation broke off: come back' },
  malformed: { code: 4400, reason: 'a message is malformed' },
  unauthorized: { code: 4401, reason: 'the credential does not count' },
  unacknowledged: { code: 4401, reason: 'connection_init comes before subscribe' },
  idle: { code: 4408, reason: 'no subscription for too long' },
  taken: { code: 4409, reason: 'a subscription with this id is open' },
  tooMany: { code: 4429, reason: 'too many messages' },
  tooManyInits: { code: 4429, reason: 'too many initialisation requests' },
} as const;

export type Closed = keyof typeof CLOSED;
