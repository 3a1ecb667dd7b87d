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
  /** A connection without a request, and a head on its way. Fixed in uWebSockets.js; the twin follows. */
  idleMs: 10_000,
  /**
   * A caller moves so many bytes a second of its body, and of its answer, over each window (Apache's mod_reqtimeout: 500): links of phones
   * stand still for 10 to 20 s between cells, and nginx waits 60 s for the next byte.
   */
  slowWindowMs: 30_000,
  slowWindowMsMin: 10_000,
  slowWindowMsMax: 60 * 60_000,
  bodyBytesPerSecondMin: 500,
  answerBytesPerSecondMin: 500,
  slowBytesPerSecondMax: 1024 * 1024,
  /** How often slow transfers are looked at. uWebSockets.js cuts after three of its ticks of 4 s, unless it is set back before. */
  slowTickMs: 3000,
  /** How often the twin looks for heads that are late. */
  headLookMs: 1000,
  /** Proxies one behind the other that are followed back to a caller. */
  forwardedHopsMax: 32,
  /** What is read and dropped of a chunked body that is over its cap before the connection is cut. */
  discardBytesMax: 1024 * 1024,
  /**
   * Answers from here on are sent piece by piece as the caller reads: the kernel takes shorter ones whole, and what it does not take the addon
   * would keep for 10 s only.
   */
  pieceBytesMin: 16 * 1024,
  /** How large the twin makes these pieces. */
  pieceBytes: 64 * 1024,
  /** Bytes of such answers that callers have not taken, of all connections; past it the connection that took nothing for longest is cut. */
  unsentBytesMax: 128 * 1024 * 1024,
  /** An answer in pieces to a request with a chunked body is put together up to here: its connection must close behind it. A larger one is 411. */
  gatheredBytesMax: 16 * 1024 * 1024,
  drainMs: 10_000,
  /** How long a node that was told to end still takes requests, while its readiness says 503; longer than balancers ask apart is the operator's to set. */
  drainNoticeMs: 1000,
  drainNoticeMsMax: 5 * 60_000,
  /** What a connection holds unread; the kernel makes it twice that. Below 488 KiB the addon takes turns between connections. */
  receiveBufferBytes: 200 * 1024,
} as const;
