/**
 * Numbers of the languages that callers may use (jq programs, scripts, GraphQL documents), and of the jobs that run what is too expensive for a
 * host.
 */
export const languageLimits = {
  jobs: {
    /** Jobs of one host that wait for a thread; the next one gets 503 with Retry-After. */
    queueDepthMax: 256,
    /** How long a job may wait; after that 503 with Retry-After. */
    waitMsMax: 1000,
    retryAfterSeconds: 1,
    /** A thread whose job has run for longer holds no second job: another thread may begin that one before. */
    handMsMax: 20,
    /** How long a job that called its host polls for the answer before its thread sleeps: waking up takes as long. */
    spinMs: 0.05,
    /** The time limit for starting a thread with its libraries. */
    startMsMax: 15_000,
    /** After so long without work a thread releases its memory. */
    idleMs: 60_000,
    /** The same of a thread that has read products and nothing else: they are read at a start and a deploy, seldom again soon. */
    idleReadMs: 500,
    /** Checkouts are looked through for faults so long after a host knows of the first one: a start has to answer first. */
    checkoutLookMs: 1000,
    /** The time that a job's sandbox gets to stop itself past its limit, before the thread is ended. */
    graceMs: 250,
    /** A bound that should never be reached: fuel and WebAssembly's memory bound what jobs hold. */
    resources: { maxOldGenerationSizeMb: 1024, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
  },
  expressions: {
    timeMsMax: 2000,
    /** Fuel of one expression on its tenant's host; a job continues what needs more. */
    hostFuelMax: 40_000,
    hostCharsMax: 256 * 1024,
    /** Fuel in a job. It bounds memory, too: a heap that overflows in one step would end the process, not the job's thread. */
    jobFuelMax: 5_000_000,
    /** Compiled programs that one host keeps, the faulty ones with their message. */
    keptMax: 512,
    resultCharsMax: 32 * 1024 * 1024,
    /** Characters of a text that our own jq produces; jq itself produces longer ones, within the memory of its job. */
    textCharsMax: 16 * 1024 * 1024,
    /** Characters of a pattern in our own jq; jq itself handles longer ones, too. */
    patternCharsMax: 1000,
    jobMemoryBytesMax: 256 * 1024 * 1024,
  },
  rules: {
    /** Fuel of one evaluation of a rule: some 2 ms, 8000 items of a list. A rule that needs more denies. */
    evaluationUnits: 50_000,
    /** Evaluations for one row in one step: reading it, unmasking it, comparing it before and after a change. */
    perRowMax: 3,
    /** References that one path of a rule may follow, one after the other. */
    hopsMax: 3,
    /** Fuel of the row that a reference names, read for the first time: some 5 µs. */
    followUnits: 100,
    /** Conditions of one rule that an explanation asks one by one: each costs an evaluation. */
    conditionsMax: 64,
    /** Referenced rows that one read keeps for its rules; beyond them it begins to keep anew. */
    followedRowsMax: 1000,
  },
  patterns: {
    /** Steps of a pattern with its counted repetitions expanded. */
    stepsMax: 10_000,
  },
  scripts: {
    timeMsMax: 1000,
    memoryBytesMax: 64 * 1024 * 1024,
    stackBytesMax: 64 * 1024,
    /** Machines with a compiled script that a job thread keeps, some 3 MB each, and the most that one may have grown to be kept. */
    machinesKeptMax: 16,
    keptGrowthBytesMax: 4 * 1024 * 1024,
    /** Depth to which scripts may start scripts, including the first one. */
    depthMax: 4,
    /** Scripts that one write runs: all its work is repeated for each of them. */
    runsMax: 64,
    bodyBytesMax: 1024 * 1024,
    /** JSON of a script's answer, or of one call of the host. */
    resultCharsMax: 8 * 1024 * 1024,
    sourceCharsMax: 256 * 1024,
    /** Calls of the host by one script, and changes among them. */
    hostCallsMax: 1000,
    writesMax: 200,
    /** Rows that one query of a script gives. */
    rowsMax: 1000,
    /** Repetitions of a script whose reads were changed by others before it could write. */
    triesMax: 3,
    logLinesMax: 20,
    logCharsMax: 1000,
    /** Answers that one tenant caches for `cache_ttl`, and their total characters. */
    cachedMax: 512,
    cachedCharsMax: 4 * 1024 * 1024,
    /** Callers whose rate one tenant tracks. */
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
    /** Rows that all steps of a statement read together; a million take about a second. */
    rowsSeenMax: 2_000_000,
    /** Rows that one statement writes. */
    rowsWrittenMax: 10_000,
    /** Values by which a join looks rows up in an index; for more values the table is read instead. */
    lookupsMax: 1000,
    /** Tables with their plans that an explanation of a statement names. */
    looksMax: 100,
    /** Characters of the values that a statement holds, and those of its answer. */
    charsKeptMax: 64 * 1024 * 1024,
    /** Characters of the results of subqueries that a statement keeps for further rows around them. */
    charsRememberedMax: 4 * 1024 * 1024,
    /** Characters of a text, a list or a JSON value that an expression makes, and the levels of the last. */
    charsMax: 1024 * 1024,
    jsonLevelsMax: 64,
    /** Rows that the steps of a statement process within a turn or a slice, besides those that are read; the slice's time may end it earlier. */
    turnRowsMax: 16_000,
    /** Rows between two reads of the clock. */
    strideRows: 64,
    /** So many compared pairs of rows of a join cost a turn as much as one row. */
    pairsPerRow: 16,
    /** Rows that a subquery reads for one outer row: no other turn runs in that time. */
    aroundRowsMax: 200_000,
    /** Rows per slice of a table that is only aggregated. */
    pageRows: 10_000,
    /** Views of one product. */
    viewsMax: 200,
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
    /** Rows of a connection's page: the default, the default below a row, and the maximum. */
    firstDefault: 100,
    nestedFirstDefault: 20,
    firstMax: 1000,
    /** Values in an answer, including rows and pages, unless the platform file says otherwise. */
    costMax: 50_000,
    /** An answer up to this cost is read in one turn; a more expensive one over a snapshot, in slices. */
    sliceCost: 4000,
    /** Entities of a schema, or types of its description, that are made before other work has its turn. */
    sliceEntities: 4,
    sliceTypes: 8,
    /** Schemas that a tenant caches, one for each set of rights; and characters of the parsed documents that each caches. */
    schemasKept: 8,
    keptCharsMax: 262_144,
  },
} as const;
