/** Whoever was asked has no room now: the caller may come again, so the answer is 503 with `Retry-After`. It crosses threads as itself. */
export class Busy extends Error {}
