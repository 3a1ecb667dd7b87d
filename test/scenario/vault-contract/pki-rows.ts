/** The rows of docs/contract/vault-pki.md, and those of docs/contract/vault.md that speak of nodes and the agent. */
export const PKI_ROWS = {
  Service: [
    'issues and revokes internal service certificates',
    'serves a CRL and OCSP',
    'issues JWTs',
    'runs node agents that attest workloads',
  ],
  Materials: [
    'join token hj_v1_<id>_<random>; single-use by default, scope-bound, with TTL and use count',
    'node certificate valid 24h, refresh token rotated on each renewal (default 30-day refresh window)',
    'workload identity: a SPIFFE ID bound to selectors (binary path or hash, uid, unit)',
  ],
  States: ['revocation records the serial in the persisted revocation list'],
  Endpoints: [
    'DELETE /certificate/internal',
    'GET /pki/crl: CRL, re-signed with 24h validity',
    'POST /pki/ocsp: OCSP, 1h response validity',
    'list endpoints for certificates take a days filter',
  ],
  Commands: [
    'agent install, upgrade, uninstall',
    'agent init (consumes a join token), run',
    'agent status, doctor',
    'vault jwt --audience <aud>',
    'vault node-token issue --scope --ttl --uses',
    'vault identity register/list/revoke',
  ],
  Metrics: ['/metrics on 127.0.0.1:9099 (agent)'],
  Authentication: [
    'developer commands go through the local agent, which attests the calling shell',
    'agents join with a single-use join token and renew certificates at half-life',
  ],
  Certificates: [
    'CSR, or a server-side key that is never stored; default 90 days; idempotent revocation',
    'P-256 issuer; 127-bit random positive serials; notAfter clamped; notBefore minus 60 s',
    'CRL DER and PEM, ETag; CRLNumber persisted before signing; re-signed on revocation and at two thirds',
    'OCSP GET form; nonce echoed; every serial answered; unknown when never issued; no fractional seconds',
    'JWT ES256, 5 minutes, one audience, nbf and exp with leeway 5 s; JWKS',
  ],
  Joining: [
    'only the SHA-256 of a token is stored',
    'use is one transaction; 32 racing callers spend exactly the allowed uses',
    'the same key may repeat within the TTL and gets the same node without spending a use',
    'renewal rotates both; the previous refresh token counts once within 60 s for the same key; reuse revokes the node',
    'evicted may join again, banned may not',
  ],
  Agent: [
    'peer from SO_PEERCRED and a pidfd; checked again after the selectors',
    'SPIFFE Workload API, X.509 and JWT profiles',
    'status is unhealthy once the identity has expired',
    'survives a vault outage',
  ],
} as const;
