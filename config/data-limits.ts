/** Numbers of rows: lists, writes, imports, exports, and bodies that carry files. */
import { DECIMAL_CHARS_MAX } from './values/decimal.ts';

export const dataLimits = {
  data: {
    /** Unreadable rows that are reported by name while a tenant is awake. */
    unreadRowsTold: 1000,
    listLimitDefault: 100,
    listLimitMax: 10_000,
    filterPredicatesMax: 100,
    filterDepthMax: 8,
    /** References that one path of a filter may follow, one after the other; and the conditions over references that a query may have. */
    filterHopsMax: 3,
    filterCrossingMax: 20,
    /** Entries of indexes that are looked at beforehand for all of them; the rest is looked up row by row. */
    crossingProbesMax: 500,
    /** Members of a json value that a path may lead through. */
    jsonPathMax: 8,
    /** Values of one `in` or `nin`. */
    filterValuesMax: 1000,
    /** Ranges of one index that a plan may join; a list with more ranges is only checked row by row. */
    planRangesMax: 64,
    /** Entries of an index that a plan counts to distinguish a short range from a long one. */
    planProbeEntries: 200,
    /** The longest cursor: it is sent in the URL. */
    cursorCharsMax: 2048,
    /** Relations of one query, at all depths, and the rows that they may add. */
    includesMax: 16,
    includeRowsMax: 10_000,
    /** Links that one entity may declare; ids that one write may add to a link or take from it; rows that a list of ids may replace. */
    linksMax: 16,
    linkIdsMax: 250,
    linkReplacedMax: 1000,
    /** Links that one transaction may add and remove: a change of many rows by a filter names them once, and stages them for each row. */
    linkChangesMax: 20_000,
    /** Fuel of a row that an include with options looks at: some 2 µs. */
    includeLookUnits: 40,
    /** Groups that one query may hold. */
    groupsMax: 10_000,
    /** Distinct values that `count_distinct` may keep, in all groups of one query. */
    distinctValuesMax: 100_000,
    /** Time zones that a thread keeps, and for each the months whose offsets it knows. */
    zonesKept: 32,
    zoneChunksKept: 512,
    /** Schema documents that a tenant caches, one per kind and set of rights. */
    documentsKept: 64,
    /** Entities that are described before other work has its turn. */
    documentSliceEntities: 5,
    /** Rows of a chunk that one turn accepts, and bytes of a body that one turn reads. */
    importSliceRows: 100,
    importSliceBytes: 64 * 1024,
    /** Rows of a chunk by default, and the most that a caller may request. */
    importChunkRows: 1000,
    importChunkRowsMax: 10_000,
    /** A chunk also ends after so many bytes, however few its rows are. */
    importChunkCharsMax: 4 * 1024 * 1024,
    importRowCharsMax: 8 * 1024 * 1024,
    /** Refused rows that an import's answer lists; further ones are only counted. */
    importErrorsMax: 1000,
    /** Imports, exports and uploads at once on one host; the next one gets 503 with Retry-After. */
    importsRunningMax: 8,
    exportsRunningMax: 32,
    uploadsRunningMax: 32,
    /** An import's next chunk begins only while less of the overlay is used: the rest is for other writers. */
    importPressureMax: 0.25,
    exportRows: 10_000,
    /** How often unused blobs are searched for, and how long an unused one stays. */
    blobSweepEveryMs: 60 * 60_000,
    blobGraceMs: 24 * 60 * 60_000,
    /** Rows and bytes that one turn of an export reads; `sliceMsMax` ends it, too. */
    exportSliceRows: 500,
    exportSliceBytes: 1024 * 1024,
    /** An export that takes longer continues over a newer snapshot, behind its last row. */
    exportSnapshotMs: 10_000,
    includeDepthDefault: 1,
    includeDepthMax: 4,
    envelopeOperationsMax: 10_000,
    /** Rows of all operations of one envelope together. */
    envelopeRowsMax: 10_000,
    /** Rows that one request may change by a filter. */
    filteredRowsMax: 10_000,
    /** Fields with `roles` in one entity, and views of it that are kept: each set of fields that some caller sees is one. */
    fieldsWithRolesMax: 32,
    /** Computed fields of one entity, and the fuel of one evaluation of one: some 0.2 ms. */
    computedFieldsMax: 16,
    computedUnits: 5000,
    fieldViewsKept: 64,
    /** Characters of a decimal, sign and point included. */
    decimalCharsMax: DECIMAL_CHARS_MAX,
    /** Characters of a caller's text that a message repeats, and unknown fields that one answer lists. */
    shownCharsMax: 128,
    unknownFieldsMax: 100,
    /** UTF-8 bytes of a key that a caller chooses (string ids). */
    idBytesMax: 128,
    /** Candidates that a list reads within one turn; a longer list continues in slices over a snapshot. */
    turnScanRowsMax: 1000,
    /** Candidates per slice of a longer scan; `sliceMsMax` ends a slice earlier. */
    sliceScanRowsMax: 500,
    /** UTF-16 units of rows' JSON after which the rest of a page is written in slices: some 5 ms. */
    sliceTextMax: 1024 * 1024,
    /** Rows whose states one turn computes: each row evaluates the rules and guards of its events. */
    statesTurnRowsMax: 100,
    /** Rows that a sort without an index may hold (offset + limit). */
    sortRowsMax: 100_000,
    /** Of an ask what the rules say to a user: the route of rows, and why it is asked. */
    explain: { targetCharsMax: 4000, reasonCharsMax: 500 },
    /** Table numbers take two bytes of a key. */
    tableNoMax: 0xfffe,
    /** The pause between attempts of a schema change while the store has no room. */
    fullPauseMs: 20,
    /** How long plans and retention rest between two slices that write. */
    restMs: 2,
    /** From so many rows on, they read their data from the disk ahead; how long they wait for this before they begin. */
    prewarmRowsMin: 100_000,
    prewarmWaitMsMax: 5000,
    /** Rows that one delete may remove or change through references. */
    cascadeRowsMax: 10_000,
    /** Steps of a mutation (about one row each) that a turn makes before it holds the tenant and continues in slices. */
    turnStepsMax: 200,
    /** A slice ends at the first of both bounds, well below what callers would notice: its last step may be a long one. */
    sliceStepsMax: 500,
    sliceMsMax: 6,
    /** Entries of an index that one step reads. */
    referencePageRows: 100,
  },
  /** Migration plans: their work while the tenant serves requests. */
  plans: {
    /** How long a slice of an index build, a rewrite or a check of rows may hold its host, its commit included. */
    sliceMsMax: 2,
    /** Reading and staging end at the first of these bounds: the rest of the time is for the last row and the commit. At least one row is done. */
    sliceReadMsMax: 0.6,
    sliceRowsMax: 64,
    sliceBytesMax: 128 * 1024,
    /** The next slice commits only while less of the overlay is used: the rest is for callers. */
    pressureMax: 0.05,
    /** How long reading a checkout may take. */
    readMsMax: 30_000,
    /** Unfitting rows that an answer names; all are counted. */
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
    /** First bytes of a file from which its type is detected where its part names none. */
    sniffBytes: 4100,
  },
} as const;

/** `Idempotency-Key` of data and content: how long an answer is kept, and how many expired ones one keyed write removes. */
export const idempotencyLimits = { keptMs: 24 * 60 * 60_000, keyCharsMax: 255, sweepMax: 8 } as const;
