/** Numbers of a tenant's copies: backup, restore, export, move, delete. */
export const backupLimits = {
  /** How long a copy works at a stretch before the tenants of its thread have their turns. */
  sliceMs: 2,
  /** Entries gather to a frame of so many bytes; a larger value has a frame of its own. */
  frameBytes: 64 * 1024,
  /** No frame is longer: a length that says more was altered. */
  frameBytesMax: 64 * 1024 * 1024,
  readBytes: 256 * 1024,
  /** What one commit of a restore or of a sweep holds. */
  commitEntries: 500,
  commitBytes: 512 * 1024,
  /** From this share of a full overlay on a restore or a sweep waits for LMDB; callers are slowed down later than that. */
  pressureMax: 0.25,
  waitMs: 20,
  /** How long one look at a copy under way waits for its end. */
  stepMs: 500,
  /** A copy that nobody looked at for so long is given up. */
  abandonedMs: 60_000,
  /** Copies of one thread at once; the next one is refused. */
  runningMax: 4,
  /** The view of a backup or an export: while it is open LMDB uses no page again. */
  snapshotMsMax: 60 * 60_000,
  /** How long a deletion waits for the audit log to take the tenant's last events. */
  eventsWaitMs: 20_000,
} as const;
