/** Numbers of the links between nodes on one log: the door of each sends its requests to the node that serves. */
export const linkLimits = {
  /** In examples; none is bound unless the platform file says so. */
  port: 7400,
  /** The longest frame: one request with the longest body that any route takes, and its head. */
  frameBytesMax: 16 * 1024 * 1024,
  /** Before the handshake is over: the names of some thousand routes. */
  helloBytesMax: 256 * 1024,
  helloMs: 5000,
  /** A batch of requests or replies is cut into frames of about so many bytes, so that pieces of bodies get between them. */
  batchBytes: 256 * 1024,
  /** Requests of one link that wait for their answers; the next one gets 503. */
  requestsMax: 8192,
  /** Tenants of which one door is told where their hosts run; requests of further ones go by the node that serves. */
  referralsMax: 100_000,
  /** What a door may read of a body at once: a buffer of uWebSockets.js has 512 KiB. Its window is passed by one such piece at most. */
  bodyPieceBytesMax: 1024 * 1024,
  /** Bytes that the other node has not taken: past the first bound its door refuses further requests, past the second the link is cut. */
  unsentBytesMax: 32 * 1024 * 1024,
  unsentBytesCut: 128 * 1024 * 1024,
  /** Connections that a node takes; nodes of a cluster are few, and each has one here. */
  connectionsMax: 64,
  /** How often each side says that it is there, and after how long a silent one is taken for gone. */
  pingMs: 1000,
  silentMs: 5000,
  /** Until a link that was lost is tried again, twice as long each time. */
  retryMs: 50,
  retryMsMax: 2000,
  /** How long a node that gives its place up answers what it took. */
  drainMs: 10_000,
  /** How often a node says of each host that it carries how its thread is. */
  loadMs: 500,
  /** How often a door says how many requests were answered without the node that serves. */
  countsMs: 1000,
  /** A node whose clock is further ahead runs no hosts together with this one. */
  aheadMsMax: 10_000,
  /** A word between main and a carried host leaves in pieces of so many bytes; the longest one has all tenants of a node. */
  wordPieceBytes: 256 * 1024,
  wordBytesMax: 64 * 1024 * 1024,
} as const;
