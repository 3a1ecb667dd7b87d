/** Numbers of the vault's certificates, tokens, nodes and agents. operations.md "Limits", decisions.md "Vault". */

const SECOND_MS = 1000;
const HOUR_MS = 3600 * SECOND_MS;
const DAY_MS = 24 * HOUR_MS;

export const pkiLimits = {
  pki: {
    /** How long the authority's own certificate lives. */
    authorityMs: 3650 * DAY_MS,
    serviceMs: 90 * DAY_MS,
    serviceMsMax: 397 * DAY_MS,
    nodeMs: 24 * HOUR_MS,
    workloadMs: HOUR_MS,
    /** Certificates begin this long ago: clocks differ. */
    backdateMs: 60 * SECOND_MS,
    crlMs: 24 * HOUR_MS,
    ocspMs: HOUR_MS,
    /** Serials of one OCSP request, and its size. */
    ocspSerialsMax: 100,
    ocspRequestBytesMax: 16 * 1024,
    /** RFC 9654 §2.1 allows 128; with the OCTET STRING around it. */
    ocspNonceBytesMax: 131,
    /** Answers to requests without a nonce that are kept until they are half spent. */
    ocspAnswersKept: 10_000,
    requestBytesMax: 16 * 1024,
    /** Names of one certificate. */
    namesMax: 100,
    jwtMs: 300 * SECOND_MS,
    jwtMsMax: 24 * HOUR_MS,
    jwtLeewayMs: 5 * SECOND_MS,
    jwtBytesMax: 16 * 1024,
    claimsBytesMax: 4 * 1024,
    audienceCharsMax: 512,
    /** Certificates of one page of a list. */
    listMax: 1000,
  },
} as const;
