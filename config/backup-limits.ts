/** Numbers of the work on whole tenants: backup, restore, export, move, delete. */
export const backupLimits = {
  /** How long a copy works in one slice before the tenants of its thread have their turns. */
  sliceMs: 2,
  /** Where callers had turns meanwhile, it rests for so many times as long as its slice took. */
  restTimes: 2,
  /** Entries are collected to a frame of so many bytes; a larger value has a frame of its own. */
  frameBytes: 64 * 1024,
  /** The longest frame: a greater length means that the file was altered. */
  frameBytesMax: 64 * 1024 * 1024,
  readBytes: 256 * 1024,
  /** Rows and bytes of one commit of a restore or of a sweep. */
  commitEntries: 500,
  commitBytes: 512 * 1024,
  /** From this share of a full overlay on, a restore or a sweep waits for LMDB; callers are slowed down only later. */
  pressureMax: 0.25,
  waitMs: 20,
  /** How long one request for the state of a running copy waits for its end. */
  stepMs: 500,
  /** A copy whose state was not requested for so long is given up. */
  abandonedMs: 60_000,
  /** Copies of one thread at once; the next one is refused. */
  runningMax: 4,
  /** The longest life of a backup's or export's view: while it is open, LMDB reuses no page. */
  snapshotMsMax: 60 * 60_000,
  /** How long a deletion waits for the audit log to take the tenant's last events. */
  eventsWaitMs: 20_000,
  /** Backups of the node: how often they may be made, how often, when the platform file says nothing, and how often the newest is restored for proof. */
  everyMsMin: 5 * 60_000,
  everyMsMax: 31 * 24 * 3_600_000,
  everyMs: 3_600_000,
  verifyMsMin: 3_600_000,
  verifyMsMax: 366 * 24 * 3_600_000,
  /** Sets of one kind that may be kept. */
  keptMax: 10_000,
  /** How often the clock is looked at, and how long after the start the first backup may begin. */
  tickMs: 5000,
  firstAfterMs: 60_000,
  /** And the first restore for proof. */
  firstProofAfterMs: 3_600_000,
  /** How soon a failed backup is tried again, at most. */
  retryMs: 10 * 60_000,
  /** A part that no set names is removed when it was not stored for so long: a set may be on its way that names it. */
  unusedPartMs: 24 * 3_600_000,
  /** How often parts are looked through for those that no set names: each manifest and list is read for it. */
  sweepMs: 24 * 3_600_000,
  /** How often a set begins its tenants anew because tenants were made, moved or deleted meanwhile. */
  roundsMax: 5,
  /** Files whose digests a thread remembers. */
  knownFilesMax: 1_000_000,
  /** A restore for proof needs room for so many times the bytes of its set: stores, their journal, the part at hand. */
  proofRoomFactor: 3,
  /** A thread copies its database in this time, or the backup fails. */
  copyMsMax: 3_600_000,
  /** The copy of the journals: how often it may be brought up to date; records of one chunk; segments that wait for it, unless the file says more. */
  journalCopyMsMin: 1000,
  journalCopyMsMax: 3_600_000,
  chunkBytes: 8 * 1024 * 1024,
  keptBytesMin: 128 * 1024 * 1024,
  keptBytes: 2 * 1024 * 1024 * 1024,
  /** How long a stop waits for the rest to be copied. */
  copyDrainMs: 10_000,
  /** How long the copy may fail, or be behind, before the node counts as degraded. */
  copyBehindMs: 5 * 60_000,
} as const;
