/** Numbers of the watchdog of threads, and of the list of degraded things. The contract states none of them. */
export const watchdogLimits = {
  watchdog: {
    /** How often main checks that each thread's event loop runs. */
    lookMs: 125,
    /** The most that one check adds to a thread's standstill: a main thread that was late itself must not blame another thread. */
    lookMsMax: 200,
    /**
     * From here on a metric, a log line, and an entry among the degraded things. Main replaces a host after `watchdog.replace_after` of the
     * platform file.
     */
    toldMs: 250,
    degradedMs: 2000,
    replaceMs: 10_000,
    replaceMsMin: 3000,
    replaceMsMax: 24 * 60 * 60_000,
    /** So often a route of a tenant may stop a host's thread; then it is refused for a while, and each further time twice as long. */
    strikesMax: 2,
    refuseMs: 5 * 60_000,
    refuseMsMin: 1000,
    refuseMsMax: 24 * 60 * 60_000,
    /** Routes of tenants that are tracked; past them the oldest is dropped. */
    strikeEntriesMax: 256,
    /** Strikes count together when no more than this lies between them. */
    strikeWindowMs: 60 * 60_000,
    /** Routes of tenants that `skep_stalls_by_route_total` names; the others count together. */
    routeLabelsMax: 64,
    partCharsMax: 64,
  },
  degraded: {
    /** Entries of one scope; later ones are counted, not kept. */
    perScopeMax: 64,
    /** Entries of one tenant in one scope, so that one tenant's faults leave room for those of others. */
    perTenantMax: 8,
    nameCharsMax: 320,
    reasonCharsMax: 512,
    /** Changes that are logged within one window, so that rapid changes do not fill the disk. */
    logLinesMax: 60,
    logWindowMs: 60_000,
  },
} as const;
