/** Bounds of exports and erasures of one person. docs/contract/privacy.md. */
export const privacyLimits = {
  privacy: {
    /** Rows of one page of an export, and its characters: a page crosses threads as one message. */
    pageRows: 200,
    pageCharsMax: 1_000_000,
    /** Rows that one ask of an erasure changes: an ask has a deadline. */
    eraseRows: 500,
    /** Audit records that one page of an export looks at. */
    recordsScanned: 5000,
    /** Exports at once in one tenant; the next one gets 503 with Retry-After. */
    exportsMax: 2,
    /** Erasures of a tenant that are under way or remembered; past them the oldest ended one is forgotten. */
    erasuresMax: 1000,
    /** How soon an erasure tries again where a part could not be reached, and looks whether events are in the log. */
    retryMs: 5_000,
    lookMs: 100,
    /** Links with providers that one slice of an erasure or an export looks at. */
    linkSliceRows: 500,
    /** Submissions that one slice of an erasure looks at, each with all of its bytes, and hashes of lines that one line of the log names as erased. */
    formSliceRows: 64,
    erasedLinesNamed: 512,
  },
} as const;
