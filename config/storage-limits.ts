/** Journal, overlay, LMDB, and room on the disk. */
export const storageLimits = {
  shardsPerHost: 4,
  commitRowsMax: 2000,
  /** Writes of one LMDB commit: the thread encodes them at one stretch. */
  commitPutsMax: 2000,
  commitAnswerMs: 10_000,
  /** A turn of so many writes is made ready for its commit in steps. */
  preparedCellsMin: 2000,
  /**
   * How long LMDB lets durable records gather before a sweep; while more than `sweepCalmCellsMax` writes wait it waits again,
   * `sweepWaitsMax` times in all, and no longer once `sweepCells` or `sweepBytes` of them wait.
   */
  followGatherMs: 50,
  sweepCalmCellsMax: 2000,
  sweepWaitsMax: 40,
  sweepCells: 200_000,
  sweepBytes: 16 * 1024 * 1024,
  segmentBytes: 32 * 1024 * 1024,
  /** How often the mark outside of the data directory is written while something is new. */
  outsideMarkMs: 1000,
  /** How often a journal that is idle notes up to which number it is durable. */
  journalMarkMs: 1000,
  overlayEntriesMax: 1_000_000,
  overlayBytesMax: 128 * 1024 * 1024,
  ballastBytes: 16 * 1024 * 1024,
  freeBytesMin: 256 * 1024 * 1024,
  freeSpaceCheckMs: 1000,
  /** After so many bytes of writes the disk is looked at again, whatever the clock says. */
  freeLookBytes: 4 * 1024 * 1024,
  /** What deletes leave free on a full disk: what was accepted before them must reach LMDB. */
  freeBytesRest: 4 * 1024 * 1024,
  /**
   * What a write takes on the disk until LMDB has it, at most: its bytes once in the journal and twice in pages that are half full; and
   * a leaf with its branches for each write of the commits whose old pages LMDB cannot use again yet.
   */
  growthPerByte: 3,
  growthPerPutBytes: 2 * 4096,
  growthCommits: 3,
  /** Below so many times `free_bytes_min` the disk is named before it is full; and when a caller of a full one may try again. */
  freeWarnFactor: 2,
  fullRetrySeconds: 30,
  /** Decoded values kept for each shard, and how large a value may be to be kept decoded. */
  decodedEntriesMax: 16_384,
  decodedBytesMax: 4096,
  snapshotMsMax: 30_000,
  /** Long work brings its shard's file into memory: pieces of a reading, how often again, and how much of the free memory it may take. */
  prewarmPieceBytes: 1024 * 1024,
  prewarmEveryMs: 20_000,
  prewarmMemoryShare: 0.5,
} as const;
