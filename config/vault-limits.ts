/** The vault's numbers. Spec: docs/contract/vault.md §5, §6, §7.2, §10. */
export const vaultLimits = {
  vault: {
    /** Versions of a secret that stay readable; a further write destroys the oldest (docs/contract/vault.md §10). */
    readableVersionsMax: 3,
    /** Rows that a secret's list of versions keeps, destroyed ones included; the oldest rows go first. */
    versionRowsMax: 100,
    nameCharsMax: 255,
    valueBytesMax: 64 * 1024,
    /** JSON of a value in base64, and what stands around it. */
    bodyBytesMax: 128 * 1024,
    listDefault: 100,
    listMax: 1000,
    /** How often a change that met another one is tried again before the caller hears of it. */
    conflictTriesMax: 16,
    /** Puts of one backend that wait for the disk; the next one is shed. */
    queuedPutsMax: 16_384,
    etcdAnswerBytesMax: 64 * 1024 * 1024,
    etcdFaultCharsMax: 200,
    etcdTimeoutMs: 3000,
    /** Keys of tenants, and verified certificates, that are held in memory; past it the oldest is forgotten. */
    tenantKeysMax: 10_000,
    callersMax: 10_000,
    peerCharsMax: 16_384,
    rootKeyBytes: 32,
    /** Shamir: shares that one may split a root key into. */
    sharesMax: 16,
    /** docs/contract/vault.md §7.2: how long the emitter tries. */
    eventBudgetMs: 7000,
    eventRetryMs: 250,
    /** How long a start waits for the audit log to say how far the store had come. */
    recallMs: 5000,
    /** One request to an audit service elsewhere: within the budget more than one is tried. */
    auditAnswerMs: 3000,
    auditAnswerBytesMax: 1024 * 1024,
    auditFaultCharsMax: 300,
    /** Events that one message to the audit log holds. */
    eventBatchMax: 256,
    /** Events on their way, and bytes of the spool; the next one is dropped and counted. */
    eventsMax: 16_384,
    /** Refused callers without a certificate are told of so often, in one event. */
    strangerEventMs: 10_000,
    spoolBytesMax: 16 * 1024 * 1024,
    policiesMax: 10_000,
    globCharsMax: 512,
    /** How far back the clock may stand behind the newest time that the store knows. */
    clockBackMsMax: 5 * 60_000,
    /** No build of this program is older: a clock before it is not set. */
    clockFloorMs: Date.UTC(2025, 0, 1),
    /** docs/contract/vault.md §10. */
    serviceCertificateDays: 90,
    nodeCertificateMs: 24 * 60 * 60_000,
    crlMs: 24 * 60 * 60_000,
    ocspMs: 60 * 60_000,
  },
} as const;
