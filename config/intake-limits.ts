/** Numbers of forms and their submissions (docs/contract/intake.md §9). */
export const intakeLimits = {
  bodyBytesMax: 65_536,
  fieldsMax: 100,
  partsMax: 100,
  /** The longest timeout of its listener: Node's timers reach 24 days, and no caller needs as much. */
  httpMsMax: 24 * 60 * 60_000,
  batchMax: 64,
  batchWaitMs: 25,
  queueDepth: 1024,
  /** The Retry-After of a shed or rate-limited request. */
  retryAfterSeconds: 1,
  idempotencyMs: 24 * 60 * 60_000,
  idempotencyKeyCharsMax: 255,
  /** Keys held in memory by `backend: jsonl`, which has no database, and by `postgres`, whose database is far; past it the oldest is forgotten. */
  idempotencyKeysMax: 100_000,
  /** Lines of the log that one commit applies when the database is behind at the start. */
  replayLinesMax: 1000,
  /** Bounds of text without a bound in its form: an e-mail address (RFC 5321), its local part, a URL. */
  emailCharsMax: 254,
  emailLocalCharsMax: 64,
  urlCharsMax: 2048,
  /** Characters of a chat message. */
  noticeCharsMax: 4000,
  /** Bytes of lines that one statement of `backend: postgres` writes or reads (one line always goes), and lines that one reads. */
  databaseBytesMax: 4 * 1024 * 1024,
  databaseSliceLines: 500,
  /** The interval of the log line about submissions that a full disk refused, or for which the database does not answer. */
  fullDiskLineMs: 60_000,
  /** Expired idempotency keys, or rows past their retention, that one commit deletes, and how often they are searched for. */
  keySweepMax: 128,
  keySweepEveryMs: 10 * 60_000,
  /** Replayed lines after a crash still send notices while they are younger than this. */
  noticeReplayMs: 60 * 60_000,
  /** How soon the door reports to the writer what it refused itself, and how many log lines one report holds. */
  doorLinesWaitMs: 10,
  doorLinesMax: 65_536,
  ipEntriesMax: 100_000,
  ipIdleMs: 10 * 60_000,
  /** A longer one would leave the buckets' clock too coarse for their rate. */
  ipIdleMsMax: 24 * 60 * 60_000,
} as const;
