/** The vault's numbers. Spec: docs/contract/vault.md §5, §6, §7.2, §10. */
export const vaultLimits = {
  vault: {
    /** Versions of a secret that stay readable; a further write destroys the oldest (docs/contract/vault.md §10). */
    readableVersionsMax: 3,
    /** Rows in a secret's list of versions, including destroyed ones; the oldest rows are removed first. */
    versionRowsMax: 100,
    nameCharsMax: 255,
    valueBytesMax: 64 * 1024,
    /** A value in base64 inside its JSON body. */
    bodyBytesMax: 128 * 1024,
    listDefault: 100,
    listMax: 1000,
    /** How often a conflicting change is tried again before the caller gets an error. */
    conflictTriesMax: 16,
    /** Puts of one backend that wait for the disk; the next one is refused. */
    queuedPutsMax: 16_384,
    etcdAnswerBytesMax: 64 * 1024 * 1024,
    etcdFaultCharsMax: 200,
    etcdTimeoutMs: 3000,
    /** A commit in PostgreSQL whose outcome is unknown is looked up for so many times `vault.backend.timeout`, with a pause between two tries. */
    postgresTries: 3,
    postgresPauseMs: 50,
    /** Rounds of one commit between which other keepers committed; the next one is answered as unknown. */
    postgresRoundsMax: 100,
    /** Paths that one statement reads. */
    postgresGetsMax: 256,
    /** Tenant keys, and verified certificates, that are cached; past them the oldest is dropped. */
    tenantKeysMax: 10_000,
    callersMax: 10_000,
    peerCharsMax: 16_384,
    rootKeyBytes: 32,
    /** Shamir: the most shares of a root key. */
    sharesMax: 16,
    /** docs/contract/vault.md §7.2: how long the emitter retries. */
    eventBudgetMs: 7000,
    eventRetryMs: 250,
    /** How long a start waits for the audit log to report the store's last revision. */
    recallMs: 5000,
    /** One request to a remote audit service: the budget allows more than one. */
    auditAnswerMs: 3000,
    auditAnswerBytesMax: 1024 * 1024,
    auditFaultCharsMax: 300,
    /** Events in one message to the audit log. */
    eventBatchMax: 256,
    /** Waiting events, and bytes of the spool; the next event is dropped and counted. */
    eventsMax: 16_384,
    /** The interval of the event that reports callers without a valid certificate. */
    strangerEventMs: 10_000,
    spoolBytesMax: 16 * 1024 * 1024,
    policiesMax: 10_000,
    globCharsMax: 512,
    /** How far the clock may be behind the newest time in the store. */
    clockBackMsMax: 5 * 60_000,
    /** The time of a clock that was not set is before this: no build of this program is older. */
    clockFloorMs: Date.UTC(2025, 0, 1),
    /** docs/contract/vault.md §10. */
    serviceCertificateDays: 90,
    nodeCertificateMs: 24 * 60 * 60_000,
    crlMs: 24 * 60 * 60_000,
    ocspMs: 60 * 60_000,
  },
} as const;
