/** Numbers of a tenant's upkeep: locks, seeds, retention, handoff, materialized fields. */
export const upkeepLimits = {
  locks: {
    /** How long a lock outlives its holder's last heartbeat, and how often a working holder sends one. */
    ttlMs: 30_000,
    beatMs: 10_000,
    /** Locks in one list. */
    listMax: 1000,
  },
  seeds: {
    /** A seed is applied as one journal record: more rows need two seeds. */
    rowsMax: 10_000,
    fileBytesMax: 4 * 1024 * 1024,
    /** Names of seeds in one run. */
    namesMax: 1000,
    /** Characters of a failure that the ledger stores. */
    reasonCharsMax: 1000,
  },
  retention: {
    /** Rows that one commit changes by default, and the most that a caller may request. */
    batchRows: 100,
    batchRowsMax: 1000,
    /** Rows that one phase of one entity changes in a run. */
    passRows: 100_000,
    passRowsMax: 10_000_000,
    graceHoursMax: 24 * 366 * 100,
    /** How long a slice may hold its host, its commit included: short, since a run has many. */
    sliceMsMax: 2,
    /** Reading and staging end at the first of these bounds: the rest of the time is for the last row and the commit. At least one row is done. */
    sliceReadMsMax: 0.6,
    sliceRowsMax: 200,
    sliceBytesMax: 128 * 1024,
    /** Rows that one deletion removes before it holds the tenant and continues in slices of its own. */
    turnStepsMax: 50,
    /** The next slice begins only while less of the overlay is used: the rest is for callers. */
    pressureMax: 0.02,
    /** A run ends after so long and reports its work; the next one continues. It is below the deadline of an ask. */
    runMsMax: 45_000,
    /** Entities and phases in one run. */
    namesMax: 1000,
  },
  handoff: {
    claimRows: 100,
    claimRowsMax: 500,
    confirmationsMax: 1000,
    /** Answers that one turn accepts. */
    sliceRows: 50,
    /** A claim without an answer for so long may be taken by another worker. */
    claimMs: 60 * 60_000,
    textCharsMax: 1000,
  },
  materialize: {
    pendingPageRows: 100,
    /** Tasks of one drain pass. */
    passTasksMax: 10_000,
    /** A task that failed so often waits for the next write of its source, or for a requested drain. */
    attemptsMax: 3,
    /** The runner waits so long, so that the writes of a burst come together, and looks again when a burst was not yet committed. */
    restMs: 20,
    lookAgainMs: 1000,
    /** Targets whose tasks one turn adds when a field is new. */
    refillRows: 200,
    errorCharsMax: 1000,
    /** Of `of: cel`. */
    expressionCharsMax: 2000,
  },
} as const;
