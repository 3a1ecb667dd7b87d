/** Numbers of the door. The contract states none of them. */
export const doorLimits = {
  jsonBodyBytesMax: 8 * 1024 * 1024,
  /** Members, items and objects (four times) of a JSON text: so many may take some 0.1 s, an envelope of 10,000 rows with 20 fields has 450,000. */
  jsonStepsMax: 500_000,
  requestIdCharsMax: 128,
  /** Requests accepted and not yet answered, per listener thread; the next one gets 503. */
  inFlightMax: 24_576,
  /**
   * Descriptors that are reserved from connections: for a spare host and its shards, job threads, files of tenants, calls outside, operations. And
   * the number of connections that is allowed in any case.
   */
  descriptorsReserved: 64,
  connectionsMin: 16,
  /** Connections of the operations listener, out of the reserve: monitoring must get in when the other listeners are full. */
  operationsConnectionsMax: 16,
  /** How long no connection must have been refused before the doors count as well again. */
  refusedQuietMs: 10_000,
  /** How often the files of certificates are looked at. A pair that is half there has until the second look to become whole. */
  tlsLookMs: 5000,
  /** Further certificates of the gateway. */
  tlsPairsMax: 100,
  headerBytesMax: 16 * 1024,
  /** The limit of uWebSockets.js; the node-http door uses the same. */
  headerFieldsMax: 98,
  /** A connection without a request, and an incomplete head. Fixed in uWebSockets.js; the node-http door uses the same. */
  idleMs: 10_000,
  /**
   * A caller must transfer so many bytes a second of its body and of its answer, over each window (Apache's mod_reqtimeout: 500). Mobile
   * connections pause for 10 to 20 s between cells, and nginx waits 60 s for the next byte.
   */
  slowWindowMs: 30_000,
  slowWindowMsMin: 10_000,
  slowWindowMsMax: 60 * 60_000,
  bodyBytesPerSecondMin: 500,
  answerBytesPerSecondMin: 500,
  slowBytesPerSecondMax: 1024 * 1024,
  /** How often slow transfers are checked. uWebSockets.js cuts after three of its ticks of 4 s, unless the timeout is reset before. */
  slowTickMs: 3000,
  /** How often the node-http door checks for late heads. */
  headLookMs: 1000,
  /** Chained proxies that are followed back to a caller. */
  forwardedHopsMax: 32,
  /** Bytes of an oversized chunked body that are read and dropped before the connection is cut. */
  discardBytesMax: 1024 * 1024,
  /**
   * Larger answers are sent in pieces as the caller reads. The kernel takes shorter ones as a whole, and uWebSockets.js would hold the rest for 10
   * s only.
   */
  pieceBytesMin: 16 * 1024,
  /** The size of these pieces in the node-http door. */
  pieceBytes: 64 * 1024,
  /** Unread bytes of such answers over all connections; past them the connection that has read nothing for longest is cut. */
  unsentBytesMax: 128 * 1024 * 1024,
  /**
   * An answer in pieces to a request with a chunked body is joined up to this size, since its connection must close behind it. A larger one is 411.
   */
  gatheredBytesMax: 16 * 1024 * 1024,
  /** Shorter answers are not compressed: they fit one segment of TCP. */
  compressedBytesMin: 1024,
  /** Up to this size the door compresses an answer itself, which takes it at most some 50 µs; handing it to another thread would take as much (bench/compress.bench.ts). */
  compressAtOnceBytesMax: 8 * 1024,
  /** Longer ones that are compressed at a time, by libuv's threads: fsyncs of journals run there too. */
  compressingMax: 2,
  /** Bytes of whole answers that wait for these threads; what comes beyond leaves as it is. */
  compressingBytesMax: 16 * 1024 * 1024,
  /** Answers in pieces that are compressed at a time. Each holds some 0.5 MiB; what comes beyond leaves as it is. */
  compressedStreamsMax: 32,
  /** A longer `Accept-Encoding` counts as none; that of a browser has 30 characters. */
  acceptedCodingsCharsMax: 256,
  /** How long a browser may remember a preflight: an origin that is taken off a list is refused with the answer itself, at once. */
  preflightAgeSeconds: 600,
  /** Connections of the console's own listener: a browser opens six, and operators are few. */
  consoleConnectionsMax: 256,
  drainMs: 10_000,
  /** How long a stopping node still accepts requests while its readiness answers 503; operators set more for balancers that probe more rarely. */
  /** An answer that took longer has a line in the access log in any case. */
  accessLogSlowMs: 1000,
  accessLogSlowMsMax: 60 * 60_000,
  /** Tenants that have metrics of their own; the others are counted together. Each has some twenty series. */
  tenantSeriesMax: 200,
  drainNoticeMs: 1000,
  drainNoticeMsMax: 5 * 60_000,
  /** Unread bytes that a connection's socket buffers; the kernel doubles it. Below 488 KiB uWebSockets.js alternates between connections. */
  receiveBufferBytes: 200 * 1024,
  /** Answers that the door gives again by itself (rows with `keptMs`), and the longest one, and path, that it keeps; more than that, the oldest goes. */
  keptAnswersMax: 1000,
  keptBytesMax: 4096,
  /** A door that closes waits until no request has come for so long. A door without callers waits for nothing, and one that is asked again and again, as by a balancer on connections from before, for no longer than `closeQuietMsMax`. */
  closeQuietMs: 25,
  closeQuietMsMax: 75,
  /** It waits for the request of a caller that connected, or sent a part of one, so long ago; it looks as often (Linux). */
  silentMsMax: 1000,
  silentLookMs: 10,
  /** While callers come, those that begin to connect are shut out for so long before its listener is closed: a caller whose connection is being made over a network finishes it within (Linux). Elsewhere the listener is closed behind a round of the event loop that was as short as `shortTurnMs`, and what connects within it is cut. */
  handshakeMs: 50,
  shortTurnMs: 0.2,
  /** It accepts what waits for so long at most. */
  acceptMsMax: 500,
} as const;
