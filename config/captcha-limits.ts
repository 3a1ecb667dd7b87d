/** Numbers of captchas. docs/contract/identity-captcha.md. */
export const captchaLimits = {
  /** How long a challenge counts: not longer than an idle tenant stays awake, because its key is in memory. */
  challengeMs: 10 * 60_000,
  /** The age at which the key of a tenant or of the forms is replaced; the one before it still verifies. */
  keyLifeMs: 60 * 60_000,
  keyBytes: 32,
  nonceBytes: 12,
  /** The largest number that a page may have to find; half of so many hashes on average. */
  difficultyMin: 1000,
  difficulty: 50_000,
  difficultyMax: 1_000_000,
  /** Characters of an answer: ALTCHA's are some 400, those of providers at most 2,048 (Turnstile). */
  answerCharsMax: 4096,
  /** Answers that a tenant, or all forms together, remember as spent; past it no further one counts until some are over. */
  spentMax: 50_000,
  /** When a caller tries again that met a full memory, or a provider that did not answer. */
  retrySeconds: 30,
} as const;
