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
    /** uWebSockets.js holds no more; the twin follows. */
    headerFieldsMax: 98,
    /** A connection on which nothing moves. Fixed in uWebSockets.js; the twin follows. */
    idleMs: 10_000,
    /** A whole request, head and body, on the twin; uWebSockets.js asks for 16 KiB/s of a body instead. */
    requestMsMax: 300_000,
    /** What is read and dropped of a chunked body that is over its cap before the connection is cut. */
    discardBytesMax: 1024 * 1024,
    /** Answers from here on are sent piece by piece as the caller reads, instead of copied into a send buffer. */
    pieceBytesMin: 64 * 1024,
    drainMs: 10_000,
  },
  host: {
    /** Requests waiting for one tenant's turn; the next one gets 503 with Retry-After. */
    mailboxDepthMax: 4096,
    turnMsMax: 10,
    idleSleepMs: 10 * 60_000,
    /** Products that a warm spare reads before it is needed. */
    warmProductsMax: 32,
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
    /** Decoded values kept for each shard, and how large a value may be to be kept decoded. */
    decodedEntriesMax: 16_384,
    decodedBytesMax: 4096,
    snapshotMsMax: 30_000,
  },
  identity: {
    keyLifetimeDays: 365,
    secretBytes: 32,
    serviceTokenSeconds: 900,
    jwksKeysMax: 100,
    tokenCacheEntriesMax: 50_000,
    jwksMaxAgeSeconds: 300,
    /** JSON of a key's capabilities: the token that carries its scope must pass as a header. */
    capabilitiesBytesMax: 8192,
    serviceTagCharsMax: 256,
    lastUseEveryMs: 60_000,
    lastUseEntriesMax: 10_000,
    emailCharsMax: 254,
    nameCharsMax: 256,
    passwordCharsMin: 8,
    passwordCharsMax: 1024,
    /** argon2id parameters; they travel in each hash, so that a change holds for new passwords only. */
    argon2: { memoryKib: 19_456, iterations: 2, lanes: 1 },
  },
  data: {
    listLimitDefault: 100,
    listLimitMax: 10_000,
    filterPredicatesMax: 100,
    /** Rows of a chunk that one turn takes in. */
    importSliceRows: 100,
    includeDepthDefault: 1,
    includeDepthMax: 4,
    envelopeOperationsMax: 10_000,
    /** Characters of a decimal, sign and point included. */
    decimalCharsMax: 1000,
    /** UTF-8 bytes of a key that a caller chooses (string ids). */
    idBytesMax: 128,
    /** Candidates that a list may look at within one turn; past them it goes on in slices over a snapshot. */
    turnScanRowsMax: 1000,
    /** Candidates per slice of a longer scan. */
    sliceScanRowsMax: 500,
    /** Rows that a sort without an index may hold (offset + limit). */
    sortRowsMax: 100_000,
    /** Table numbers take two bytes of a key. */
    tableNoMax: 0xfffe,
    /** Pause between tries of a schema change while the store has no room. */
    fullPauseMs: 20,
    /** Rows that one delete may take with it or change through references. */
    cascadeRowsMax: 2000,
  },
  intake: {
    bodyBytesMax: 65_536,
    fieldsMax: 100,
    partsMax: 100,
    batchMax: 64,
    batchWaitMs: 25,
    queueDepth: 1024,
    /** What a shed or rate-limited caller is told to wait. */
    retryAfterSeconds: 1,
    idempotencyMs: 24 * 60 * 60_000,
    idempotencyKeyCharsMax: 255,
    /** Keys held in memory by `backend: jsonl`, which has no database; past it the oldest is forgotten. */
    idempotencyKeysMax: 100_000,
    /** Lines of the log that one commit takes in when the database is behind at the start. */
    replayLinesMax: 1000,
    /** Bounds of text that no form sets for itself: an e-mail address (RFC 5321), its local part, a URL. */
    emailCharsMax: 254,
    emailLocalCharsMax: 64,
    urlCharsMax: 2048,
    ipEntriesMax: 100_000,
    ipIdleMs: 10 * 60_000,
  },
  rateTable: {
    /** One cache line of 64-bit cells. */
    ways: 8,
    /** Cells kept for each entry allowed, so that a set is hardly ever full before the table is. */
    cellsPerEntry: 4,
    /** How often a whole pass over the table is due, and how many cells one slice of it looks at. */
    sweepMs: 60_000,
    sweepCells: 65_536,
    /** Attempts to enter a set that another thread is changing; then the caller shares the overflow bucket. */
    claimSpins: 1000,
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
if (2 * limits.identity.capabilitiesBytesMax > limits.door.headerBytesMax)
  throw new Error('limits: a service token must fit the header');
if (limits.intake.batchMax > limits.intake.queueDepth) throw new Error('limits: a batch must fit the queue');
if (limits.intake.replayLinesMax > limits.storage.commitRowsMax)
  throw new Error('limits: a replayed group must fit a commit');
