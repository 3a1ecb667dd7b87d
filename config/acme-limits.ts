/** Numbers of certificates by ACME (RFC 8555). */
export const acmeLimits = {
  /** Names with certificates of their own: each costs the gateway a router. */
  namesMax: 100,
  contactsMax: 5,
  /** The share of its life after which a certificate is renewed. */
  renewAtShare: 2 / 3,
  /**
   * The wait after the first failure; each further one doubles it. Let's Encrypt takes five failed validations of a name in an hour, and with these
   * numbers there are at most four.
   */
  backoffMs: 5 * 60_000,
  backoffMsMax: 6 * 60 * 60_000,
  /** A wait is up to so much shorter or longer, so that the nodes of a fleet do not come back at once. */
  backoffSpread: 0.2,
  /** The longest `Retry-After` that is believed: Let's Encrypt counts certificates by the week. */
  retryAfterMsMax: 7 * 24 * 60 * 60_000,
  /** The longest sleep between two looks at the plan: a clock that was set is noticed after so long. */
  lookMsMax: 60 * 60_000,
  /** A whole order, and one request of it. */
  orderMs: 5 * 60_000,
  requestMs: 30_000,
  /** How often an order and a validation are asked for, unless the authority names its own interval. */
  pollMs: 1000,
  pollMsMax: 30_000,
  /** An authority may refuse a nonce at any time (RFC 8555 §6.5): so often a request is sent again with the one that it gave. */
  nonceTriesMax: 12,
  answerBytesMax: 256 * 1024,
  chainMax: 10,
  tokenCharsMax: 256,
  urlCharsMax: 2048,
  /** Characters of an authority's own words that go into a log line. */
  detailCharsMax: 300,
  /** Open connections of the listener for challenges, and how long one may take for everything. */
  challengeConnectionsMax: 64,
  challengeMs: 5000,
  challengeHeadBytesMax: 8 * 1024,
  /** How often a node that stands by looks for certificates that the one that serves has gained. */
  sharedLookMs: 5000,
  /** Looks for tokens that callers of the listener for challenges cause there: one in so long at most. */
  tokenLookMs: 200,
  /** The certificate that callers are shown where there is no other; no caller trusts it, however long it lasts. */
  fallbackMs: 3650 * 24 * 60 * 60_000,
  /** A failure is listed as degraded from so many in a row on, and at once where no valid certificate is left. */
  troubleFailures: 3,
} as const;
