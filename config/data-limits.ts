/** Numbers of rows: lists, writes, imports, exports, and bodies that carry files. */
import { DECIMAL_CHARS_MAX } from './values/decimal.ts';

export const dataLimits = {
  data: {
    /** Rows that cannot be read and are told by name while a tenant is awake. */
    unreadRowsTold: 1000,
    listLimitDefault: 100,
    listLimitMax: 10_000,
    filterPredicatesMax: 100,
    /** Values of one `in`, `nin`. */
    filterValuesMax: 1000,
    /** Ranges of one index that a plan may join; a list that makes more of them is only checked row by row. */
    planRangesMax: 64,
    /** Entries of an index that a plan looks at to tell a short range from a long one. */
    planProbeEntries: 200,
    /** A cursor travels in the URL. */
    cursorCharsMax: 2048,
    /** Relations of one query, at all depths, and the rows that they may bring along. */
    includesMax: 16,
    includeRowsMax: 10_000,
    /** Groups that one query may hold. */
    groupsMax: 10_000,
    /** Schema documents that a tenant keeps, one per kind and set of rights. */
    documentsKept: 64,
    /** Entities that are described between two looks at other work. */
    documentSliceEntities: 5,
    /** Rows of a chunk that one turn takes in, and bytes of a body that one turn reads. */
    importSliceRows: 100,
    importSliceBytes: 64 * 1024,
    /** Rows of a chunk where the caller names no number, and the most that he may. */
    importChunkRows: 1000,
    importChunkRowsMax: 10_000,
    /** A chunk also ends here, however few its rows are. */
    importChunkCharsMax: 4 * 1024 * 1024,
    importRowCharsMax: 8 * 1024 * 1024,
    /** Refused rows that an import's answer lists; the others are counted. */
    importErrorsMax: 1000,
    /** Imports, exports and uploads at once on one host; the next one gets 503 with Retry-After. */
    importsRunningMax: 8,
    exportsRunningMax: 32,
    uploadsRunningMax: 32,
    /** The share of the overlay that may be full when an import's next chunk begins: the rest is for others. */
    importPressureMax: 0.25,
    exportRows: 10_000,
    /** How often unused blobs are looked for where files come and go, and how long one may lie there unused. */
    blobSweepEveryMs: 60 * 60_000,
    blobGraceMs: 24 * 60 * 60_000,
    /** Rows that one turn of an export looks at, and bytes of them; `sliceMsMax` ends it, too. */
    exportSliceRows: 500,
    exportSliceBytes: 1024 * 1024,
    /** A longer export goes on over a newer snapshot, behind the last row. */
    exportSnapshotMs: 10_000,
    includeDepthDefault: 1,
    includeDepthMax: 4,
    envelopeOperationsMax: 10_000,
    /** Rows of all operations of one envelope together. */
    envelopeRowsMax: 10_000,
    /** Characters of a decimal, sign and point included. */
    decimalCharsMax: DECIMAL_CHARS_MAX,
    /** Characters of a caller's text that a message repeats, and unknown fields that one answer lists. */
    shownCharsMax: 128,
    unknownFieldsMax: 100,
    /** UTF-8 bytes of a key that a caller chooses (string ids). */
    idBytesMax: 128,
    /** Candidates that a list may look at within one turn; past them it goes on in slices over a snapshot. */
    turnScanRowsMax: 1000,
    /** Candidates per slice of a longer scan; `sliceMsMax` ends a slice whatever it has seen. */
    sliceScanRowsMax: 500,
    /** UTF-16 units of rows' JSON after which the rest of a page is written in slices: some 5 ms. */
    sliceTextMax: 1024 * 1024,
    /** Rows whose states a turn shows at once: each asks the rules and guards of its events. */
    statesTurnRowsMax: 100,
    /** Rows that a sort without an index may hold (offset + limit). */
    sortRowsMax: 100_000,
    /** Table numbers take two bytes of a key. */
    tableNoMax: 0xfffe,
    /** Pause between tries of a schema change while the store has no room. */
    fullPauseMs: 20,
    /** How long plans and retention rest between two slices that write. */
    restMs: 2,
    /** From so many rows on they have what lies on the disk brought into memory; how long they wait for it before they begin. */
    prewarmRowsMin: 100_000,
    prewarmWaitMsMax: 5000,
    /** Rows that one delete may take with it or change through references. */
    cascadeRowsMax: 10_000,
    /** Steps of a mutation (about one row each) that a turn takes before it holds the tenant and goes on in slices. */
    turnStepsMax: 200,
    /** A slice ends at the first of both; well below what callers would notice, for the last step of a slice may be a long one. */
    sliceStepsMax: 500,
    sliceMsMax: 6,
    /** Entries of an index that are looked at in one step. */
    referencePageRows: 100,
  },
  /** Migration plans: what they do beside the tenant's requests. */
  plans: {
    /** How long a slice of an index build, a rewrite or a look at rows may hold its host, its commit included. */
    sliceMsMax: 2,
    /** Looking and staging end at the first of these: the rest is for the last row and for the commit. One row is the least. */
    sliceReadMsMax: 0.6,
    sliceRowsMax: 64,
    sliceBytesMax: 128 * 1024,
    /** The share of the overlay that may be full when the next slice is committed: the rest is for callers. */
    pressureMax: 0.05,
    /** How long reading a checkout may take. */
    readMsMax: 30_000,
    /** Rows that do not fit, of all that are counted, that an answer names. */
    namedRowsMax: 5,
  },
  multipart: {
    partsMax: 100,
    partHeadersMax: 32,
    partHeaderBytesMax: 16 * 1024,
    /** Of all text parts together. */
    textBytesMax: 8 * 1024 * 1024,
    fileBytesMax: 1024 * 1024 * 1024,
    fileNameCharsMax: 255,
    /** First bytes of a file that tell its type where its part does not. */
    sniffBytes: 4100,
  },
} as const;

/** `Idempotency-Key` of data and content: how long an answer is kept; expired ones that one keyed write sweeps. */
export const idempotencyLimits = { keptMs: 24 * 60 * 60_000, keyCharsMax: 255, sweepMax: 8 } as const;
