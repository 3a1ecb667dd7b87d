/** Numbers of the content service. Source: docs/contract/content.md §8.3; those that it does not state are ours. */
export const contentLimits = {
  /** Deliveries that the courier holds; the others wait in the tenants' outboxes. */
  webhookQueueDepth: 1024,
  webhookWorkers: 4,
  webhookAttempts: 3,
  /** A secret that the vault keeps is asked for again so often; one that is not there, where a webhook waits for it. */
  secretKeptMs: 60_000,
  secretRetryMs: 30_000,
  webhookBackoffMs: 500,
  webhookTimeoutMs: 10_000,
  webhookTimeoutMsMax: 60_000,
  /** Deliveries of one tenant that wait; one more is dropped, counted and logged: a dead receiver stops no editor. */
  webhookOutboxEntriesMax: 100_000,
  /** Documents that one delivery names; a larger change makes several. */
  webhookDocumentsMax: 1000,
  /** Deliveries that have ended and are still told of, per tenant; the oldest go first. */
  webhookLogEntriesMax: 10_000,
  /** Deliveries that one question to a tenant gives out. */
  webhookTakeMax: 256,
  /** Before a question that failed is asked again. */
  webhookRetryMs: 1000,
  webhooksPerAppMax: 32,
  webhookHeadersMax: 16,
  /** Assets and documents of one page, unless the caller asks for fewer. */
  pageRowsDefault: 50,
  pageRowsMax: 500,
  /**
   * Uploads that run at the same time: of all tenants of a host, and of one tenant; the next one gets 503. A tenant without a running upload
   * always gets one.
   */
  uploadsRunningMax: 16,
  uploadsRunningOfTenantMax: 8,
  tagsPerAssetMax: 100,
  /** How large an asset may be, unless the platform file says less: 16 GiB. */
  assetBytesMax: 16 * 1024 ** 3,
  /** The largest quota of a store that a platform file may name: 1 PiB. */
  storeBytesMax: 1024 ** 5,
  previewTokenSeconds: 3600,
  previewTokenSecondsMax: 24 * 3600,
  previewTokenCharsMax: 2048,
  /** How often files that no asset needs are looked for, and how long one stays that nobody has touched. */
  sweepEveryMs: 10 * 60_000,
  sweepGraceMs: 60 * 60_000,
  localesMax: 64,
  /** A store whose index is files: its assets, which are all in memory while its tenant is awake, and what one of them may say of itself with its earlier versions. */
  fsAssetsMax: 50_000,
  fsAssetBytesMax: 256 * 1024,
  fsIndexBytesMax: 64 * 1024 * 1024,
  /** Files that are read at the same time when it wakes; assets that one list looks at before others have their turn. */
  fsFilesRead: 32,
  fsLooksMax: 2000,
  /** Keys of requests that one file remembers. */
  fsKeysMax: 16,
} as const;
