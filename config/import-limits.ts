/** Bounds of users that come from another system, and of the password hashes that they bring. docs/contract/identity-import.md. */
export const importLimits = {
  userImport: {
    /** One request; an import of more is several requests, or `skep user import`. */
    bodyBytesMax: 1024 * 1024,
    rowsMax: 1000,
    /** Users of one commit: each is up to nine writes and an event. */
    sliceRows: 100,
    /** Rows of one step of `skep user import`. */
    stepRows: 200,
    /** Characters of one line of its file. */
    lineCharsMax: 16_384,
    hashCharsMax: 1024,
    externalIdCharsMax: 256,
    /** What one check of a foreign hash may cost, since strangers can ask for it. */
    bcryptCostMin: 4,
    bcryptCostMax: 14,
    pbkdf2IterationsMax: 2_000_000,
    /** Of scrypt 128·N·r, of argon2 its memory parameter: one check at a time has it. */
    hashMemoryBytesMax: 128 * 1024 * 1024,
    /** Memory that one check writes in all: scrypt 128·N·r·p, argon2 memory·passes. */
    hashTrafficBytesMax: 512 * 1024 * 1024,
    argon2LanesMax: 16,
    /** Forms of hashes that one tenant may hold at once: each login of the tenant runs one of each. */
    formsMax: 4,
    /** Different iteration counts of PBKDF2 among them: they share a form. */
    costsMax: 64,
    /** Checks of foreign hashes at once in the whole process: the other runs are left to Skep's own hashes. */
    foreignRunningMax: 1,
    /** Checks of foreign hashes that wait on one thread; the next one gets 503 with Retry-After. */
    foreignWaitingMax: 32,
  },
} as const;
