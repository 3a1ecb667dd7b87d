/** Numbers of the scrubber, which looks for damage in served data. An operator sets its pace: `storage.scrub_percent`, `scrub_every`. */
export const scrubLimits = {
  scrub: {
    /** The default of the largest share of a thread's time; 0 switches the scrubber off. */
    percent: 2,
    percentMax: 50,
    /** A slice ends after so long, and no request waits longer for it; then follows a rest that keeps to the share. */
    sliceMs: 1,
    /** How often a thread looks whether another one is within a step, and how long it waits for that at most. */
    turnLookMs: 1,
    turnMsMax: 1000,
    /** Shorter rests are added up to one of this length. */
    restMsMin: 5,
    /** While requests wait for their turn the next slice is put off: so long, and at most so often. */
    busyMs: 20,
    busyTimesMax: 100,
    /** From the beginning of a round to that of the next; a thread that starts waits `firstMs`, or this time where it is shorter. */
    roundMs: 24 * 60 * 60_000,
    roundMsMin: 100,
    roundMsMax: 366 * 24 * 60 * 60_000,
    firstMs: 60_000,
    /** How often it checks whether a round is due, and updates the age of the last complete one. */
    lookMs: 1000,
    /** How often a tenant is begun anew because its schema changed; after that the next round looks at it. */
    schemaTriesMax: 3,
    /** How long one frozen view is held to count the rows of an entity again: LMDB keeps pages for it. */
    countMsMax: 15_000,
    /** Faults of one tenant, shard or log that are logged singly in a round; all are counted. */
    faultsLogged: 20,
    /** Faults that are kept in memory, so that each is logged once. */
    faultsKnownMax: 10_000,
    /** Bytes of a segment in one read. */
    pieceBytes: 64 * 1024,
  },
} as const;
