/** Numbers of signed URLs, of every service that has some. */
export const signedUrlLimits = {
  /** How long a URL is valid by default, and at most. */
  lifeSeconds: 3600,
  lifeSecondsMax: 7 * 24 * 3600,
  /**
   * A tenant's key signs for so long, then a new one is made. It is longer than any URL lives, so that a URL has ended before the key that
   * signed it is dropped at the second change.
   */
  keyLifeMs: 30 * 24 * 3600_000,
  /** The longest query that is looked at. */
  queryCharsMax: 2048,
} as const;
