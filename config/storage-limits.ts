/** Numbers of the journal, the overlay, LMDB, and free space on the disk. */
export const storageLimits = {
  shardsPerHost: 4,
  commitRowsMax: 2000,
  /** Writes of one LMDB commit: the thread encodes them without a pause. */
  commitPutsMax: 2000,
  commitAnswerMs: 10_000,
  /** A turn with more writes is prepared for its commit in steps. */
  preparedCellsMin: 2000,
  /**
   * How long durable records are collected before LMDB sweeps them. While more than `sweepCalmCellsMax` writes wait, it waits again, at most
   * `sweepWaitsMax` times, and not once `sweepCells` or `sweepBytes` of them wait.
   */
  followGatherMs: 50,
  sweepCalmCellsMax: 2000,
  sweepWaitsMax: 40,
  sweepCells: 200_000,
  sweepBytes: 16 * 1024 * 1024,
  segmentBytes: 32 * 1024 * 1024,
  /** How often the mark outside of the data directory is written while there is news. */
  outsideMarkMs: 1000,
  /** How often an idle journal records up to which number it is durable. */
  journalMarkMs: 1000,
  overlayEntriesMax: 1_000_000,
  overlayBytesMax: 128 * 1024 * 1024,
  /** How long a start waits for a directory that another process has, and how often it looks: commands that look into stores have it for a moment. */
  lockWaitMs: 1000,
  lockLookMs: 50,
  ballastBytes: 16 * 1024 * 1024,
  freeBytesMin: 256 * 1024 * 1024,
  freeSpaceCheckMs: 1000,
  /** After so many bytes of writes the free space is read again, whatever the time. */
  freeLookBytes: 4 * 1024 * 1024,
  /** Space on a full disk that only deletes may use: what was accepted before them must reach LMDB. */
  freeBytesRest: 4 * 1024 * 1024,
  /**
   * The most disk space that a write takes until LMDB has it: its bytes once in the journal and twice in half-full pages; and a leaf with its
   * branches for each write of the commits whose old pages LMDB cannot reuse yet.
   */
  growthPerByte: 3,
  growthPerPutBytes: 2 * 4096,
  growthCommits: 3,
  /** Below so many times `free_bytes_min` the disk is reported before it is full; and the Retry-After of a full one. */
  freeWarnFactor: 2,
  fullRetrySeconds: 30,
  /** Decoded values that are cached for each shard, and the largest value that is cached. */
  decodedEntriesMax: 16_384,
  decodedBytesMax: 4096,
  snapshotMsMax: 30_000,
  /** A log in a database: how long an answer may take before the connection is given up, and the pause before the same call is made again. */
  logAnswerMs: 20_000,
  logPauseMs: 500,
  /** A write that waits longer for the database is reported. */
  logLateMs: 3000,
  /** At an opening: bytes of entries that are read at once for a shard, and shards that are brought up side by side. */
  logReadBytes: 4 * 1024 * 1024,
  logOpensMax: 8,
  /** Bytes of records that wait for the database from which writes are refused. */
  logWaitingBytesMax: 64 * 1024 * 1024,
  /** Shards of a log unless `skep cluster init` is told another number, and the most. */
  logShards: 64,
  logShardsMax: 4096,
  /** Copies of shards, behind which a log is cut: how often they may be made, and how often, when the platform file says nothing. */
  copyEveryMsMin: 60_000,
  copyEveryMsMax: 7 * 24 * 3_600_000,
  copyEveryMs: 6 * 3_600_000,
  /** How long after the start the first ones may begin, how soon failed ones are tried again, and how long they may fail before the node counts as degraded. */
  copyFirstAfterMs: 60_000,
  copyRetryMs: 10 * 60_000,
  copyLateMs: 30 * 60_000,
  /** Entries of a log that are kept beside its copies: for how long at least and at most, copies that are kept over that time, bytes of a piece, and bytes of the log and of a piece that are read at once: a host serves meanwhile. */
  historyMsMin: 3_600_000,
  historyMsMax: 366 * 24 * 3_600_000,
  historyCopies: 8,
  historyPieceBytes: 32 * 1024 * 1024,
  historyReadBytes: 256 * 1024,
  /** Long work reads its shard's file into memory: size of a read, how often it repeats, and the share of the free memory it may take. */
  prewarmPieceBytes: 1024 * 1024,
  prewarmEveryMs: 20_000,
  prewarmMemoryShare: 0.5,
} as const;
