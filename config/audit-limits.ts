/** Numbers of the audit service: its logs, the outboxes of events, what one call takes and gives. */
export const auditLimits = {
  /** Spec: docs/contract/audit.md §9: bounds of a segment, and how long one stays open by route. */
  segmentRecords: 100_000,
  segmentBytes: 67_108_864,
  sealStrictMs: 60_000,
  sealMs: 300_000,
  /** Bytes of a record from which its `data` moves to a blob: an entry of a bundle holds 65,535. */
  recordBytesMax: 60 * 1024,
  bodyBytesMax: 8 * 1024 * 1024,
  /** Records of one request. */
  recordsPerCallMax: 1000,
  /** Sources whose last number a log remembers: each is written with every signed head. */
  sourcesMax: 1024,
  /** Certificates of vaults that were judged and are remembered. */
  vaultPeersMax: 256,
  /** How long a durable record waits for the checkpoint that covers it. */
  checkpointMs: 500,
  /** `batched`: how long a written record waits for its fdatasync. */
  batchedSyncMs: 50,
  /** Records and bytes of one log that wait to be written; the next one is shed. */
  queueRecordsMax: 16_384,
  queueBytesMax: 32 * 1024 * 1024,
  /** Bytes of one write to a segment. */
  writeBytesMax: 4 * 1024 * 1024,
  /** Bytes of tiles and bundles that wait to be published; past them a log sheds. */
  unpublishedBytesMax: 256 * 1024 * 1024,
  /** Logs open at once; past them the one that was used longest ago is closed. */
  openLogsMax: 512,
  /** Logs, and their newest records, that are looked at for what a source said last. */
  newestLogsMax: 16,
  newestRecordsMax: 64,
  /** Tiles that one proof or one reader keeps. */
  tilesHeldMax: 64,
  listDefault: 100,
  listMax: 1000,
  /** Records that one query looks at when it filters. */
  scanRecordsMax: 10_000,
  textCharsMax: 1024,
  logIdCharsMax: 512,
  /** A tenant's outbox: entries that one ask hands out, and when main asks again one that it could not reach. */
  takeEntriesMax: 512,
  retryMs: 1000,
  /** Events of one tenant that the log has not answered for; past them writes are shed, for none may go unrecorded. */
  outboxEntriesMax: 1_000_000,
  /** Of those the newest, as they were written, in the host's memory; and bytes of one hand-over. */
  outboxHeldMax: 16_384,
  outboxHeldBytesMax: 8 * 1024 * 1024,
  /** Contents of personal data whose line of today a log remembers; another one gets a further line. */
  personalMemoMax: 10_000,
  personalSaltBytes: 16,
  takeBytesMax: 4 * 1024 * 1024,
  /** Events of the node or of intake that wait in main; past them they are dropped, which their numbers show. */
  nodeEventsMax: 10_000,
  /** How long a stop waits until they are in their log. */
  nodeEventsSettleMs: 2000,
  /** Submissions that became durable are told of so often, in one event. */
  intakeEventMs: 1000,
  /** Tenants whose events are on their way at once. */
  tenantsPassingMax: 4,
  syncCadenceMs: 60_000,
  /** How often the metrics of the logs are brought up to date, and at how many of these times their sizes are. */
  figuresMs: 1000,
  sizeLooks: 30,
  /** How often logs whose route keeps records for a time only are looked through. */
  pruneMs: 10 * 60_000,
  pruneMsMin: 100,
  /** Blobs that a copy reads at once. */
  blobsCopiedMax: 8,
  /** How long a vault elsewhere may take to give a signing key. */
  keyAnswerMs: 5000,
  /** How long a witness may take to answer, and bytes of a request to one and of its answer. */
  witnessMs: 5000,
  witnessBodyBytesMax: 64 * 1024,
} as const;
