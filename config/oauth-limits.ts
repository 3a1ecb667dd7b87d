/** Numbers of sign-ins with a provider. */
export const oauthLimits = {
  stateMs: 10 * 60_000,
  /** The most states that a tenant keeps; a power of two. */
  stateSlots: 16_384,
  /** New states that are drawn until one falls on a slot without a valid state. */
  stateDraws: 8,
  secretBytes: 32,
  /** How long a provider's metadata and keys are used before they are read again. */
  discoveryMs: 60 * 60_000,
  /** Return addresses that a product declares for a provider, besides the first. */
  redirectUrisMax: 32,
  redirectCharsMax: 2048,
  codeCharsMax: 4096,
} as const;
