/** Numbers of passkeys. */
export const passkeyLimits = {
  challengeMs: 5 * 60_000,
  secretBytes: 32,
  nonceBytes: 16,
  /** Passkeys of one user (docs/contract/identity.md §9); a later one is left out silently. */
  perUserMax: 50,
  /** A credential id has at most 1023 bytes (WebAuthn §4); the texts are base64url. */
  credentialIdCharsMax: 1364,
  clientDataCharsMax: 4096,
  attestationCharsMax: 12_288,
  authenticatorDataCharsMax: 2048,
  signatureCharsMax: 2048,
  userHandleCharsMax: 128,
  transportsMax: 8,
  transportCharsMax: 32,
  nameCharsMax: 100,
  /** Spent challenges that one login deletes, once their five minutes are over. */
  spentSweepMax: 8,
  /** Logins of one user by passkey: a burst, then one per interval. Each leaves a spent challenge for five minutes. */
  loginsBurst: 20,
  loginEveryMs: 5000,
  loginEntriesMax: 10_000,
  /** Origins that a product names. */
  originsMax: 32,
} as const;
