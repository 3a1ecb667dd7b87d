/** Numbers of the door. The contract states none: these are ours. */
export const doorLimits = {
  jsonBodyBytesMax: 8 * 1024 * 1024,
  /** Members, items and objects (four times) of a JSON text: so many may take some 0.1 s, an envelope of 10,000 rows with 20 fields has 450,000. */
  jsonStepsMax: 500_000,
  requestIdCharsMax: 128,
  /** Requests accepted and not yet answered, per listener thread; the next one gets 503. */
  inFlightMax: 16_384,
  /**
   * Descriptors that connections leave to the node: a spare host and its shards, job threads, files of tenants, calls outside, operations. And
   * so many connections there are in any case.
   */
  descriptorsReserved: 64,
  connectionsMin: 16,
  /** Connections of the operations listener, out of the reserve: whoever watches the node gets in when the others are full. */
  operationsConnectionsMax: 16,
  /** How long no connection must have been refused, until the doors count as well again. */
  refusedQuietMs: 10_000,
  headerBytesMax: 16 * 1024,
  /** uWebSockets.js holds no more; the twin follows. */
  headerFieldsMax: 98,
  /** A connection on which nothing moves. Fixed in uWebSockets.js; the twin follows. */
  idleMs: 10_000,
  /** A whole request, head and body, on the twin; uWebSockets.js asks for 16 KiB/s of a body instead. */
  requestMsMax: 300_000,
  /** Proxies one behind the other that are followed back to a caller. */
  forwardedHopsMax: 32,
  /** What is read and dropped of a chunked body that is over its cap before the connection is cut. */
  discardBytesMax: 1024 * 1024,
  /** Answers from here on are sent piece by piece as the caller reads, instead of copied into a send buffer. */
  pieceBytesMin: 64 * 1024,
  /** Bytes of such answers that callers have not taken, of all connections; past it the connection that took nothing for longest is cut. */
  unsentBytesMax: 128 * 1024 * 1024,
  drainMs: 10_000,
  /** What a connection holds unread; the kernel makes it twice that. Below 488 KiB the addon takes turns between connections. */
  receiveBufferBytes: 200 * 1024,
} as const;
