/** Numbers of checkouts of products, and of the revisions made of them. */
export const productLimits = {
  /** A checkout from a URL: bytes as sent, bytes unpacked, and number of files. */
  archiveBytesMax: 16 * 1024 * 1024,
  unpackedBytesMax: 64 * 1024 * 1024,
  filesMax: 4096,
  fetchMs: 30_000,
  /** How often provisioning tries for a thread that reads definitions; each attempt waits as long as a job may. */
  readTries: 10,
  /** How long an unused revision is kept: one that is being provisioned or restored is not served yet. */
  unusedMs: 24 * 60 * 60_000,
  sweepMs: 6 * 60 * 60_000,
} as const;
