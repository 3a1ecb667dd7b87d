/** Numbers of the scrubber, which looks for damage in what is served. An operator sets its pace: `storage.scrub_percent`, `scrub_every`. */
export const scrubLimits = {
  scrub: {
    /** The share of a thread's time that it takes at most; 0 switches it off. */
    percent: 2,
    percentMax: 50,
    /** A slice ends after so long, so that a request waits for no longer; then comes a rest as the share says. */
    sliceMs: 1,
    /** Rests that are shorter add up to one of this length. */
    restMsMin: 5,
    /** While requests wait for their turn the next slice waits, too: so long, and so often at most. */
    busyMs: 20,
    busyTimesMax: 100,
    /** From the begin of a round to the begin of the next one; a thread that starts waits `firstMs`, or that long where it is shorter. */
    roundMs: 24 * 60 * 60_000,
    roundMsMin: 100,
    roundMsMax: 366 * 24 * 60 * 60_000,
    firstMs: 60_000,
    /** How often it looks whether a round is due, and tells how old the last whole one is. */
    lookMs: 1000,
    /** A tenant whose schema changes meanwhile is begun anew so often; then the next round looks. */
    schemaTriesMax: 3,
    /** How long one frozen view is held to count the rows of an entity again: LMDB keeps pages for it. */
    countMsMax: 15_000,
    /** Faults of one tenant, shard or log that are logged one by one in a round; all are counted. */
    faultsLogged: 20,
    /** Faults that are remembered, so that each is logged once. */
    faultsKnownMax: 10_000,
    /** Bytes of a segment that one reading takes. */
    pieceBytes: 64 * 1024,
  },
} as const;
