/** Numbers of the BFF. The contract states none: these are ours. */
export const bffLimits = {
  callsMax: 32,
  /** How long a call may take with all its tries, unless it says so itself. */
  callTimeoutMs: 5000,
  callTimeoutMsMax: 60_000,
  retriesMax: 3,
  /** Before the second try; twice as long before each further one. */
  retryBackoffMs: 50,
  /** What an upstream may answer. */
  answerBytesMax: 2 * 1024 * 1024,
  cacheMsMax: 24 * 60 * 60_000,
  /** Answers that a tenant keeps: cached ones, and the last good ones of `stale` calls. */
  keptEntriesMax: 2000,
  keptCharsMax: 16 * 1024 * 1024,
  /** How old a stale answer may be. */
  staleMsMax: 24 * 60 * 60_000,
  /** Requests of one tenant under way; the next one gets 503. */
  runningMax: 1024,
  /** Outside calls of one tenant to one origin: under way, and waiting for their turn. Past that a call fails at once. */
  originCallsMax: 32,
  originWaitingMax: 128,
  /** Failures in a row after which an origin is left alone, and for how long. */
  breakerFailures: 5,
  breakerOpenMs: 10_000,
  /** Connections of one thread to one origin, and origins that it keeps connections to. */
  connectionsMax: 64,
  poolsMax: 128,
  connectMs: 5000,
  keepAliveMs: 10_000,
  /** A URL as it is made of a call's path and query. */
  targetCharsMax: 8192,
  headerCharsMax: 4096,
  /** What a template makes of an answer or of a body: one value may stand in many of its places. */
  filledCharsMax: 16 * 1024 * 1024,
} as const;
