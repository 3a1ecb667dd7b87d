/** Numbers of a tenant's upkeep: locks, seeds, retention, handoff, materialized fields. */
export const upkeepLimits = {
  locks: {
    /** How long a lock outlives its holder's last heartbeat, and when a holder at work tells that it lives. */
    ttlMs: 30_000,
    beatMs: 10_000,
    /** Locks that one list shows. */
    listMax: 1000,
  },
  seeds: {
    /** A seed is applied whole, as one journal record: more rows make two seeds. */
    rowsMax: 10_000,
    fileBytesMax: 4 * 1024 * 1024,
    /** Names that a run may be given. */
    namesMax: 1000,
    /** Characters of a failure that the ledger keeps. */
    reasonCharsMax: 1000,
  },
  retention: {
    /** Rows that one commit changes where the caller names no number, and the most that he may. */
    batchRows: 100,
    batchRowsMax: 1000,
    /** Rows that one phase of one entity changes in a run. */
    passRows: 100_000,
    passRowsMax: 10_000_000,
    graceHoursMax: 24 * 366 * 100,
    /** How long a slice may hold its host, its commit included: short, since a run has many. */
    sliceMsMax: 2,
    /** Looking and staging end at the first of these: the rest is for the last row and for the commit. One row is the least. */
    sliceReadMsMax: 0.6,
    sliceRowsMax: 200,
    sliceBytesMax: 128 * 1024,
    /** Rows that one deletion takes with it before it holds the tenant and goes on in slices of its own. */
    turnStepsMax: 50,
    /** The share of the overlay that may be full when the next slice begins: the rest is for callers. */
    pressureMax: 0.02,
    /** A run ends here, and says what it has done; the next one goes on. Below the deadline of an ask. */
    runMsMax: 45_000,
    /** Entities and phases that a run may be given. */
    namesMax: 1000,
  },
  handoff: {
    claimRows: 100,
    claimRowsMax: 500,
    confirmationsMax: 1000,
    /** Answers that one turn takes in. */
    sliceRows: 50,
    /** A claim that nobody answers for so long may be taken by another. */
    claimMs: 60 * 60_000,
    textCharsMax: 1000,
  },
  materialize: {
    pendingPageRows: 100,
    /** Tasks that one drain pass does. */
    passTasksMax: 10_000,
    /** A task that failed so often waits for the next write of its source, or for a drain that somebody asks for. */
    attemptsMax: 3,
    /** The runner lets writes of one burst come together, and looks again when it found a burst not yet committed. */
    restMs: 20,
    lookAgainMs: 1000,
    /** Targets whose tasks one turn enters when a field is new. */
    refillRows: 200,
    errorCharsMax: 1000,
    /** Of `of: cel`. */
    expressionCharsMax: 2000,
  },
} as const;
