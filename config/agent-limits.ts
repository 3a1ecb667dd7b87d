/** Numbers of the agent. docs/contract/vault-pki.md §7. */

const SECOND_MS = 1000;

export const agentLimits = {
  agent: {
    /** The share of a life after which it is renewed, and the spread around it. */
    renewAtShare: 0.5,
    renewSpreadShare: 0.1,
    /** The shortest time between receiving and renewing; what expires sooner is renewed after this share of its life. */
    renewMsMin: 5 * SECOND_MS,
    renewShareMax: 0.9,
    /** Between two attempts while the vault does not answer. */
    retryMsMin: 2 * SECOND_MS,
    retryMsMax: 60 * SECOND_MS,
    requestMs: 10 * SECOND_MS,
    answerBytesMax: 4 * 1024 * 1024,
    /** How often the identities of this node are requested; how long a revocation list is kept. */
    identitiesMs: 5 * SECOND_MS,
    crlMs: 60 * SECOND_MS,
    connectionsMax: 1024,
    connectionsPerUidMax: 128,
    streamsPerConnectionMax: 64,
    messageBytesMax: 64 * 1024,
    /** Executables larger than this are not hashed. */
    executableBytesMax: 1024 * 1024 * 1024,
    hashesKept: 1000,
    jwtsKept: 1000,
    drainMs: 2 * SECOND_MS,
  },
} as const;
