/** Numbers of the console (docs/contract/console.md). */
export const consoleLimits = {
  /** Files of a build, and their bytes in memory, plain and compressed together: a build that is larger is no build of ours. */
  filesMax: 512,
  bytesMax: 16 * 1024 * 1024,
  /** How often at most the disk is asked for a newer build. */
  lookMs: 1000,
  /** A login link counts for so long, and once. */
  linkMs: 10 * 60_000,
  linkBytes: 32,
  /** Links at a time; the oldest goes. */
  linksMax: 8,
  nonceBytes: 16,
  /** After so many seconds a browser asks again for a console that is not built yet. */
  againSeconds: 2,
} as const;
