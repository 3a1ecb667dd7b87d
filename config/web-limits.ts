/** Numbers of the pages that a product brings along (docs/contract/platform.md §3.6). */
export const webLimits = {
  /** One file, and all files of one product: a front end that was built has a few megabytes. */
  fileBytesMax: 8 * 1024 * 1024,
  bytesMax: 24 * 1024 * 1024,
  pathBytesMax: 255,
  /** Bytes of files that the node keeps in memory, of all sites together; others are read again. */
  keptBytesMax: 32 * 1024 * 1024,
  /** A longer file is not compressed: it would take a thread of libuv for long, and room for many others. */
  compressedBytesMax: 2 * 1024 * 1024,
  /** Requests for files that wait for a disk or for a host; the next one gets 503. */
  waitingMax: 1024,
  /** Files that are read at once: reads share libuv's threads with every fsync. */
  readingMax: 2,
  /** For how long an answer may still come from the revision before. */
  freshMs: 2000,
  /** How long a browser keeps a file whose name changes with its bytes. */
  immutableSeconds: 365 * 24 * 60 * 60,
} as const;

if (webLimits.fileBytesMax > Math.min(webLimits.bytesMax, webLimits.keptBytesMax))
  throw new Error('limits: a file must fit its product, and the memory for files');
