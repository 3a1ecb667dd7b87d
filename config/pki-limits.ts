/** Numbers of the vault's certificates, tokens, nodes and agents. docs/contract/vault.md §10, docs/contract/vault-pki.md. */
import { vaultLimits } from './vault-limits.ts';

const SECOND_MS = 1000;
const HOUR_MS = 3600 * SECOND_MS;
const DAY_MS = 24 * HOUR_MS;

export const pkiLimits = {
  pki: {
    /** How long the authority's own certificate lives. */
    authorityMs: 3650 * DAY_MS,
    /** It is renewed when less than this share of its life is left. */
    authorityRenewShare: 1 / 3,
    serviceMs: vaultLimits.vault.serviceCertificateDays * DAY_MS,
    serviceMsMax: 397 * DAY_MS,
    nodeMs: vaultLimits.vault.nodeCertificateMs,
    workloadMs: HOUR_MS,
    /** Certificates begin so long before they are made, since clocks differ. */
    backdateMs: 60 * SECOND_MS,
    /** Serials that one commit revokes: each takes four entries, and etcd accepts 128 in one commit. */
    revokeBatchMax: 24,
    crlMs: vaultLimits.vault.crlMs,
    /** How often the keeper checks whether the list must be signed again, and reads other instances' revocations. */
    tendMs: 30 * SECOND_MS,
    ocspMs: vaultLimits.vault.ocspMs,
    /** Serials of one OCSP request, and its size. */
    ocspSerialsMax: 100,
    ocspRequestBytesMax: 16 * 1024,
    /** RFC 9654 §2.1 allows 128, and the OCTET STRING around it. */
    ocspNonceBytesMax: 131,
    /** Cached answers to requests without a nonce, and how long they are cached. */
    ocspAnswersKept: 10_000,
    ocspKeptMs: 300 * SECOND_MS,
    /** For how long the door gives an answer again by itself: their `max-age` is counted in seconds. */
    doorKeptMs: SECOND_MS,
    requestBytesMax: 16 * 1024,
    /** Names of one certificate. */
    namesMax: 100,
    jwtMs: 300 * SECOND_MS,
    /** How long a key of JWTs signs, and how long it is published before: longer than any verifier caches the key set (five minutes). */
    jwtKeyMs: 30 * DAY_MS,
    jwtKeyLeadMs: 600 * SECOND_MS,
    /** How often a token with an unknown key makes an instance look for it in the store. */
    jwtKeysReadMs: SECOND_MS,
    jwtMsMax: 24 * HOUR_MS,
    jwtLeewayMs: 5 * SECOND_MS,
    jwtBytesMax: 16 * 1024,
    claimsBytesMax: 4 * 1024,
    audienceCharsMax: 512,
    /** Certificates of one page of a list. */
    listMax: 1000,
    listDefault: 100,
    /** How often a conflicting change is tried again. */
    conflictTriesMax: 16,
    /** Records of certificates are deleted so long after their end: how often, and how many in one commit. */
    keptAfterEndMs: 7 * DAY_MS,
    pruneMs: HOUR_MS,
    pruneRows: 200,
  },
  node: {
    /** docs/contract/vault-pki.md §5.1: single use by default. */
    joinTokenMs: HOUR_MS,
    joinTokenMsMax: 30 * DAY_MS,
    joinUsesMax: 1000,
    tokenRandomBytes: 32,
    refreshMs: 30 * DAY_MS,
    /** A refresh token whose successor was lost is accepted once more, within this time and for the same key. */
    graceMs: 60 * SECOND_MS,
    /** Spent refresh tokens whose reuse is still recognised. */
    spentKept: 32,
    nameCharsMax: 128,
    reasonCharsMax: 256,
    listMax: 1000,
  },
  workload: {
    pathCharsMax: 1024,
    unitCharsMax: 256,
    ttlMsMin: 60 * SECOND_MS,
    ttlMsMax: 24 * HOUR_MS,
    audiencesMax: 16,
    identitiesMax: 10_000,
  },
} as const;
