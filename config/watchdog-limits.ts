/** Numbers of what watches the threads, and of what is told of a node that works less than it should. All are ours. */
export const watchdogLimits = {
  watchdog: {
    /** How often main looks whether each thread's event loop goes round. */
    lookMs: 125,
    /** What one look adds at most to the time that a thread stands still: a main thread that was late itself accuses no other. */
    lookMsMax: 200,
    /** A metric and a log line; named as degraded. Main replaces a host after `watchdog.replace_after` of the platform file. */
    toldMs: 250,
    degradedMs: 2000,
    replaceMs: 10_000,
    replaceMsMin: 3000,
    replaceMsMax: 24 * 60 * 60_000,
    /** So often a route of a tenant may cost a host its thread; then it is refused for a while, the next times twice as long. */
    strikesMax: 2,
    refuseMs: 5 * 60_000,
    refuseMsMin: 1000,
    refuseMsMax: 24 * 60 * 60_000,
    /** Routes of tenants that are remembered; past it the oldest is forgotten. */
    strikeEntriesMax: 256,
    /** Strikes count together when they are no further apart. */
    strikeWindowMs: 60 * 60_000,
    /** Routes of tenants that `skep_stalls_by_route_total` names; the rest count together. */
    routeLabelsMax: 64,
    partCharsMax: 64,
  },
  degraded: {
    /** Entries of one scope; later ones are counted, not kept. */
    perScopeMax: 64,
    /** Entries of one tenant in one scope: one tenant's faults leave room for those of others. */
    perTenantMax: 8,
    nameCharsMax: 320,
    reasonCharsMax: 512,
    /** Changes that are logged within one window: what comes and goes all the time fills no disk. */
    logLinesMax: 60,
    logWindowMs: 60_000,
  },
} as const;
