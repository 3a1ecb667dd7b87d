/** Numbers of what watches the threads, and of what is told of a node that works less than it should. All are ours. */
export const watchdogLimits = {
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
