/** Numbers of the content service. Source: docs/contract/content.md §8.3; the contract does not state the others. */
export const contentLimits = {
  /** Deliveries that the courier holds; the others wait in the tenants' outboxes. */
  webhookQueueDepth: 1024,
  webhookWorkers: 4,
  webhookAttempts: 3,
  /** How often a secret in the vault is read again; how often a missing one is, while a webhook waits for it. */
  secretKeptMs: 60_000,
  secretRetryMs: 30_000,
  webhookBackoffMs: 500,
  webhookTimeoutMs: 10_000,
  webhookTimeoutMsMax: 60_000,
  /** Waiting deliveries of one tenant; a further one is dropped, counted and logged: an unreachable receiver must not block editors. */
  webhookOutboxEntriesMax: 100_000,
  /** Documents in one delivery; a larger change makes several deliveries. */
  webhookDocumentsMax: 1000,
  /** Ended deliveries that are kept per tenant; the oldest are removed first. */
  webhookLogEntriesMax: 10_000,
  /** Ended deliveries that one page of them looks at: each may name a thousand documents. Documents that a page shows of each. */
  webhookLooksMax: 500,
  webhookDocumentsShown: 20,
  /** Deliveries that a tenant hands out for one ask. */
  webhookTakeMax: 256,
  /** The wait before a failed ask is repeated. */
  webhookRetryMs: 1000,
  /** How long webhooks of a tenant gather after its outbox has handed out all it had. The first one after a pause leaves at once. */
  webhookGatherMs: 10,
  webhooksPerAppMax: 32,
  webhookHeadersMax: 16,
  /** Assets and documents of one page, unless the caller requests fewer. */
  pageRowsDefault: 50,
  pageRowsMax: 500,
  /**
   * Uploads that run at the same time: of all tenants of a host, and of one tenant; the next one gets 503. A tenant without a running upload
   * always gets one.
   */
  uploadsRunningMax: 16,
  uploadsRunningOfTenantMax: 8,
  tagsPerAssetMax: 100,
  /** The largest asset, unless the platform file sets less: 16 GiB. */
  assetBytesMax: 16 * 1024 ** 3,
  /** The largest quota of a store in a platform file: 1 PiB. */
  storeBytesMax: 1024 ** 5,
  /** Sizes of images that a store declares, and their longest side in pixels. */
  imagesPerStoreMax: 16,
  imageSideMax: 2048,
  /** The largest file and the most pixels of an image that is shown in another size: a decoder may hold four bytes a pixel. */
  imageSourceBytesMax: 32 * 1024 * 1024,
  imagePixelsMax: 40_000_000,
  /** How long one may take: decoders of hostile files may not run for long. A job that has not ended by itself so much later is ended with its thread. */
  imageMsMax: 10_000,
  imageStopMs: 2000,
  /** The largest image that is made: one of the longest sides as PNG fits. */
  imageBytesMax: 16 * 1024 * 1024,
  /** Images that are being made in a host and that wait for it; of one tenant. One is made at a time: it needs a job thread, and memory beside it. */
  imagesWaitingMax: 32,
  imagesOfTenantMax: 8,
  /** How long a host says that sharp is missing without another look. */
  imageMissingMs: 60_000,
  /** How long an upload in several requests may take from its beginning on, and how long it is known after it ended. */
  uploadMs: 24 * 60 * 60_000,
  uploadEndedMs: 60 * 60_000,
  /** Such uploads of a store that are under way, and of one caller; those that ended and are still known. */
  uploadsOpenMax: 256,
  uploadsOpenOfCallerMax: 16,
  uploadsEndedMax: 4096,
  /** Bytes that a crash may take back of a request that was not answered. */
  uploadSyncBytes: 8 * 1024 * 1024,
  previewTokenSeconds: 3600,
  previewTokenSecondsMax: 24 * 3600,
  previewTokenCharsMax: 2048,
  /** How often unused files of assets are searched for, and how long an untouched one stays. */
  sweepEveryMs: 10 * 60_000,
  sweepGraceMs: 60 * 60_000,
  localesMax: 64,
  /**
   * A store with an index of files: its assets, all in memory while its tenant is awake, and the size of an asset's metadata with its earlier
   * versions.
   */
  fsAssetsMax: 50_000,
  fsAssetBytesMax: 256 * 1024,
  fsIndexBytesMax: 64 * 1024 * 1024,
  /** Files that are read at once when it wakes; assets that one list visits before others have their turn. */
  fsFilesRead: 32,
  fsLooksMax: 2000,
  /** Idempotency keys that one file stores. */
  fsKeysMax: 16,
} as const;
