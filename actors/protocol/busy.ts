/** The receiver has no room now: the caller may try again, so the answer is 503 with `Retry-After`. It crosses threads as this class. */
export class Busy extends Error {}
