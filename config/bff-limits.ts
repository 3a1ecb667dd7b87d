/** Numbers of the BFF. The contract states none: these are ours. */
export const bffLimits = {
  callsMax: 32,
  /** The longest time of a call with all its attempts, unless it declares one. */
  callTimeoutMs: 5000,
  callTimeoutMsMax: 60_000,
  retriesMax: 3,
  /** The wait before the second attempt; doubled before each further one. */
  retryBackoffMs: 50,
  /** The largest answer of an upstream. */
  answerBytesMax: 2 * 1024 * 1024,
  cacheMsMax: 24 * 60 * 60_000,
  /** Stored answers of a tenant: cached ones, and the last good ones of `stale` calls. */
  keptEntriesMax: 2000,
  keptCharsMax: 16 * 1024 * 1024,
  /** How old a stale answer may be. */
  staleMsMax: 24 * 60 * 60_000,
  /** Requests of one tenant in progress; the next one gets 503. */
  runningMax: 1024,
  /** Outside calls of one tenant to one origin, in progress and waiting. Further calls fail at once. */
  originCallsMax: 32,
  originWaitingMax: 128,
  /** Consecutive failures after which an origin is not called, and for how long. */
  breakerFailures: 5,
  breakerOpenMs: 10_000,
  /** Connections of one thread to one origin, and origins with open connections. */
  connectionsMax: 64,
  poolsMax: 128,
  connectMs: 5000,
  keepAliveMs: 10_000,
  /** The longest URL made of a call's path and query. */
  targetCharsMax: 8192,
  headerCharsMax: 4096,
  /** The largest result of a template: one value may stand in many of its places. */
  filledCharsMax: 16 * 1024 * 1024,
} as const;
