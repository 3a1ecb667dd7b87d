/** Every number of the contract's Limits tables and of ours. Name: unit last. Relations are asserted at the end. */

export interface RateProfile {
  readonly burst: number;
  readonly perSecond: number;
}

export const limits = {
  door: {
    jsonBodyBytesMax: 8 * 1024 * 1024,
    pathBytesMax: 4096,
    requestIdCharsMax: 128,
    /** Requests accepted and not yet answered, per listener thread; the next one gets 503. */
    inFlightMax: 16_384,
    headerBytesMax: 16 * 1024,
    drainMs: 10_000,
  },
  host: {
    /** Requests waiting for one tenant's turn; the next one gets 503 with Retry-After. */
    mailboxDepthMax: 4096,
    turnMsMax: 10,
    idleSleepMs: 10 * 60_000,
    retryAfterSeconds: 1,
  },
  storage: {
    shardsPerHost: 4,
    commitRowsMax: 2000,
    commitPutsMax: 8000,
    commitAnswerMs: 10_000,
    /** How long LMDB lets durable records gather before a commit that is not full. */
    followGatherMs: 20,
    segmentBytes: 32 * 1024 * 1024,
    overlayEntriesMax: 200_000,
    overlayBytesMax: 128 * 1024 * 1024,
    ballastBytes: 16 * 1024 * 1024,
    freeBytesMin: 256 * 1024 * 1024,
    freeSpaceCheckMs: 1000,
    snapshotMsMax: 30_000,
  },
  identity: {
    keyLifetimeDays: 365,
    secretBytes: 32,
    serviceTokenSeconds: 900,
    jwksKeysMax: 100,
    tokenCacheEntriesMax: 50_000,
  },
  data: {
    listLimitDefault: 100,
    listLimitMax: 10_000,
    filterPredicatesMax: 100,
    includeDepthDefault: 1,
    includeDepthMax: 4,
    envelopeOperationsMax: 10_000,
  },
  intake: {
    bodyBytesMax: 65_536,
    fieldsMax: 100,
    partsMax: 100,
    batchMax: 64,
    batchWaitMs: 25,
    queueDepth: 1024,
    ipEntriesMax: 100_000,
    ipIdleMs: 10 * 60_000,
  },
  rates: {
    auth_apikey: { burst: 15, perSecond: 1 / 4 },
    auth_token: { burst: 60, perSecond: 1 },
    auth_login: { burst: 10, perSecond: 1 / 6 },
    auth_mfa: { burst: 5, perSecond: 1 / 12 },
    auth_reset: { burst: 3, perSecond: 1 / 60 },
    auth_magic_link: { burst: 3, perSecond: 1 / 60 },
  } satisfies Record<string, RateProfile>,
} as const;

if (limits.storage.commitRowsMax > limits.storage.commitPutsMax)
  throw new Error('limits: a row needs at least one put');
if (limits.storage.overlayEntriesMax < 4 * limits.storage.commitPutsMax)
  throw new Error('limits: the overlay must hold the group being committed and the next ones');
if (limits.intake.batchMax > limits.intake.queueDepth) throw new Error('limits: a batch must fit the queue');
