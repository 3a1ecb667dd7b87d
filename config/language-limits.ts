/** Numbers of what callers may run here: jq programs, scripts, GraphQL documents, and the jobs that take what is too much for a host. */
export const languageLimits = {
  jobs: {
    /** Jobs of one host that wait for a thread; the next one gets 503 with Retry-After. */
    queueDepthMax: 256,
    /** How long one may wait; past it 503 with Retry-After. */
    waitMsMax: 1000,
    retryAfterSeconds: 1,
    /** A thread whose job has run for longer has no other in hand: that one may be begun elsewhere before. */
    handMsMax: 20,
    /** How long a job that asked its host looks for the answer before its thread sleeps: waking up takes as long. */
    spinMs: 0.05,
    /** A new thread with its libraries loaded. */
    startMsMax: 15_000,
    /** After which a thread without work gives its memory back. */
    idleMs: 60_000,
    /** What a job's sandbox ends by itself is given this long past its own time before the thread is ended. */
    graceMs: 250,
    /** Never to be reached: what jobs hold is bounded by fuel and by WebAssembly's memory. */
    resources: { maxOldGenerationSizeMb: 1024, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
  },
  expressions: {
    timeMsMax: 2000,
    /** Fuel of one expression on its tenant's host; past it a job goes on. */
    hostFuelMax: 40_000,
    hostCharsMax: 256 * 1024,
    /** In a job. It bounds memory too: a heap that overflows in one leap would end the process, not the job's thread. */
    jobFuelMax: 5_000_000,
    /** Compiled programs that one host keeps, the faulty ones with their message. */
    keptMax: 512,
    resultCharsMax: 32 * 1024 * 1024,
    /** Characters of a text that our own jq makes; a longer one is left to jq itself, within the memory of its job. */
    textCharsMax: 16 * 1024 * 1024,
    /** Of a pattern in our own jq; a longer one, too, is left to jq itself. */
    patternCharsMax: 1000,
    jobMemoryBytesMax: 256 * 1024 * 1024,
  },
  rules: {
    /** What one evaluation of a rule may burn: some 2 ms, 8000 items of a list. One that would burn more denies. */
    evaluationUnits: 50_000,
    /** Evaluations that one row may ask for in one step: of reading it, unmasking it, seeing it before and after a change. */
    perRowMax: 3,
  },
  patterns: {
    /** Steps of a pattern with its counted repetitions written out. */
    stepsMax: 10_000,
  },
  scripts: {
    timeMsMax: 1000,
    memoryBytesMax: 64 * 1024 * 1024,
    stackBytesMax: 64 * 1024,
    /** Machines with a compiled script that a job thread keeps, some 3 MB each, and what one may have grown by to be kept. */
    machinesKeptMax: 16,
    keptGrowthBytesMax: 4 * 1024 * 1024,
    /** How deep scripts may cause scripts, the first one counted. */
    depthMax: 4,
    /** Scripts that one write runs: all it does is done again for each of them. */
    runsMax: 64,
    bodyBytesMax: 1024 * 1024,
    /** JSON that a script answers or hands to the host at once. */
    resultCharsMax: 8 * 1024 * 1024,
    sourceCharsMax: 256 * 1024,
    /** Calls of the host by one script, and changes among them. */
    hostCallsMax: 1000,
    writesMax: 200,
    /** Rows that one query of a script gives. */
    rowsMax: 1000,
    /** Runs of a script whose reads were changed by others before it could write. */
    triesMax: 3,
    logLinesMax: 20,
    logCharsMax: 1000,
    /** Answers that one tenant keeps for `cache_ttl`, and their characters in all. */
    cachedMax: 512,
    cachedCharsMax: 4 * 1024 * 1024,
    /** Callers whose rate one tenant counts. */
    rateEntriesMax: 10_000,
  },
  sql: {
    /** Characters of a declared statement, its relations, and how deep its expressions and subqueries nest. */
    textCharsMax: 65_536,
    relationsMax: 16,
    depthMax: 100,
    /** Selects of a statement, those of WITH and UNION among them. */
    selectsMax: 256,
    /** Rows that one step of a statement holds: of a table, of a join, of groups, of an answer. Some 200 bytes each. */
    rowsKeptMax: 50_000,
    /** Rows that all steps of a statement look at together; a million take about a second. */
    rowsSeenMax: 2_000_000,
    /** Rows that one statement writes. */
    rowsWrittenMax: 10_000,
    /** Values by which a join looks rows up in an index; more of them, and the table is read instead. */
    lookupsMax: 1000,
    /** Characters of the values that a statement holds, and those of its answer. */
    charsKeptMax: 64 * 1024 * 1024,
    /** Characters of a text that an expression makes. */
    charsMax: 1024 * 1024,
    /** Rows that the steps of a statement look at within a turn or a slice, besides what is read; its time ends it earlier. */
    turnRowsMax: 16_000,
    /** Rows between two looks at the clock. */
    strideRows: 64,
    /** Pairs of rows that a join compares cost a turn as much as one row. */
    pairsPerRow: 16,
    /** Rows that a subquery looks at for one row around it: so long no other turn runs. */
    aroundRowsMax: 200_000,
    /** Rows at a time of a table that is only added up. */
    pageRows: 10_000,
  },
  graphql: {
    documentCharsMax: 32_768,
    tokensMax: 5000,
    bracketsMax: 100,
    /**
     * Fields of a document with its fragments written out (validation compares each with each: 1000 took 130 ms), names given
     * to them, and how deep they nest. Tools ask for some 300 to learn a schema.
     */
    fieldsMax: 400,
    aliasesMax: 100,
    depthMax: 20,
    validationErrorsMax: 10,
    /** Rows of a connection's page: unless said otherwise, for those that stand below a row, and at most. */
    firstDefault: 100,
    nestedFirstDefault: 20,
    firstMax: 1000,
    /** Values that an answer may hold, rows and pages weighed in, unless the platform file says otherwise. */
    costMax: 50_000,
    /** An answer up to this cost is read in one turn; a dearer one over a snapshot, in slices of it. */
    sliceCost: 4000,
    /** Entities of a schema, or types of its description, that are made between two looks at other work. */
    sliceEntities: 4,
    sliceTypes: 8,
    /** Schemas that a tenant keeps, one for each set of rights; and characters of the documents that each keeps ready. */
    schemasKept: 8,
    keptCharsMax: 262_144,
  },
} as const;
