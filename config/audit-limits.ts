/** Numbers of the audit service: its logs, the outboxes of events, sizes of requests and answers. */
export const auditLimits = {
  /** Spec: docs/contract/audit.md §9: bounds of a segment, and how long a segment stays open, by route. */
  segmentRecords: 100_000,
  segmentBytes: 67_108_864,
  sealStrictMs: 60_000,
  sealMs: 300_000,
  /** Bytes of a record from which its `data` moves to a blob: an entry of a bundle holds 65,535. */
  recordBytesMax: 60 * 1024,
  bodyBytesMax: 8 * 1024 * 1024,
  /** Records of one request. */
  recordsPerCallMax: 1000,
  /** Sources whose last number a log stores: all of them are written with every signed head. */
  sourcesMax: 1024,
  /** Verified certificates of vaults that are cached. */
  vaultPeersMax: 256,
  /** How long a durable record waits for the checkpoint that covers it. */
  checkpointMs: 500,
  /** `batched`: how long a written record waits for its fdatasync. */
  batchedSyncMs: 50,
  /** Records and bytes of one log that wait to be written; further ones are refused. */
  queueRecordsMax: 16_384,
  queueBytesMax: 32 * 1024 * 1024,
  /** Bytes of one write to a segment. */
  writeBytesMax: 4 * 1024 * 1024,
  /** Bytes of tiles and bundles that wait to be published; past them a log refuses records. */
  unpublishedBytesMax: 256 * 1024 * 1024,
  /** Open logs; past them the least recently used one is closed. */
  openLogsMax: 512,
  /** Logs, and their newest records, that are searched for the last record of a source. */
  newestLogsMax: 16,
  newestRecordsMax: 64,
  /** Of files that never change again, smaller ones are not packed: that would save no block of the disk worth its syncs. What is unpacked of one at most. Bytes. */
  packBytesMin: 64 * 1024,
  /** While records come, the packer rests so long behind each third of a millisecond. */
  packRestMs: 10,
  unpackedBytesMax: 1024 ** 3,
  /** Segments that a log which is opened looks at, newest first, for some that are not packed. */
  packLooksMax: 1000,
  /** Sealed segments of one log that wait to be packed; one more stays as it is. */
  packWaitingMax: 1000,
  /** Tiles that one proof or one reader caches. */
  tilesHeldMax: 64,
  listDefault: 100,
  listMax: 1000,
  /** Records that one query reads when it filters. */
  scanRecordsMax: 10_000,
  textCharsMax: 1024,
  logIdCharsMax: 512,
  /** A tenant's outbox: entries that one ask hands out, and when main asks an unreachable outbox again. */
  takeEntriesMax: 512,
  retryMs: 1000,
  /** Events of one tenant that the log has not acknowledged; past them writes are refused, since every write must be recorded. */
  outboxEntriesMax: 1_000_000,
  /** The newest of those, kept in the host's memory as written; and bytes of one message to the audit log. */
  outboxHeldMax: 16_384,
  outboxHeldBytesMax: 8 * 1024 * 1024,
  /** Contents of personal data whose line of today a log caches; another content gets a further line. */
  personalMemoMax: 10_000,
  personalSaltBytes: 16,
  takeBytesMax: 4 * 1024 * 1024,
  /** Events of the node or of intake that wait in main; further ones are dropped, and the gap in their numbers shows it. */
  nodeEventsMax: 10_000,
  /** How long a stop waits for them to reach their log. */
  nodeEventsSettleMs: 2000,
  /** The interval of the event that reports durable submissions. */
  intakeEventMs: 1000,
  /** Tenants whose events are in transit at once. */
  tenantsPassingMax: 4,
  /** Logs whose leaves lie in a database: how long a caller waits for it, and a process that ends; bytes of one statement that adds or reads. */
  leavesWaitMs: 10_000,
  leavesCloseMs: 5000,
  leafWriteBytesMax: 8 * 1024 * 1024,
  leafReadBytes: 4 * 1024 * 1024,
  syncCadenceMs: 60_000,
  /** How often the metrics of the logs are updated, and after how many updates their sizes are. */
  figuresMs: 1000,
  sizeLooks: 30,
  /** How often logs with a limited retention are checked for old records. */
  pruneMs: 10 * 60_000,
  pruneMsMin: 100,
  /** Blobs that a copy reads at once. */
  blobsCopiedMax: 8,
  /** How long a remote vault may take to give a signing key. */
  keyAnswerMs: 5000,
  /** How long a witness may take to answer, and bytes of a request to it and of its answer. */
  witnessMs: 5000,
  witnessBodyBytesMax: 64 * 1024,
} as const;
