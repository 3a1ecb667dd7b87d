/** Every row of the vault's contract about certificates, nodes and agents has a proof, and the proof holds. */
import { proveContract } from '#test/kit/contract-table.ts';
import { PKI_ROWS } from '#test/scenario/vault-contract/pki-rows.ts';

const certificates = (title: string) => ({ file: 'test/scenario/vault-certificates.test.ts', title });
const nodes = (title: string) => ({ file: 'test/scenario/vault-nodes.test.ts', title });
const agent = (title: string) => ({ file: 'test/scenario/vault-agent.test.ts', title });
const authority = (title: string) => ({ file: 'test/actors/vault/authority/authority.test.ts', title });
const unit = (name: string, title: string) => ({ file: `test/${name}.test.ts`, title });

const lifecycle = certificates(
  'a certificate of the vault passes openssl with its list, lives 90 days, and is refused once it is revoked',
);
const list = certificates('the list is DER and PEM, valid for a day, and not sent again to a caller that has it');
const ocsp = certificates('openssl asks the responder: good, revoked, unknown, with a nonce and by GET');
const jwt = certificates('jose verifies a JWT of the vault; its own verification says why another does not count');
const svid = agent('FetchX509SVID of grpc-js: a certificate with its key, that the bundle verifies, and the list');
const joined = nodes('a node joins with a token: a certificate for 24 hours, its id, a refresh token for 30 days');
const health = agent('status, doctor and metrics say that all is well, and show no secret');
const developer = agent(
  'developer verbs go through the agent as the process that asks: one without an identity gets nothing',
);

proveContract(PKI_ROWS, {
  Service: {
    'issues and revokes internal service certificates': lifecycle,
    'serves a CRL and OCSP': ocsp,
    'issues JWTs': jwt,
    'runs node agents that attest workloads': svid,
  },
  Materials: {
    'join token hj_v1_<id>_<random>; single-use by default, scope-bound, with TTL and use count': joined,
    'node certificate valid 24h, refresh token rotated on each renewal (default 30-day refresh window)': joined,
    'workload identity: a SPIFFE ID bound to selectors (binary path or hash, uid, unit)': unit(
      'runtime/agent/attestor',
      'a process that stays is matched by path, hash, user and group',
    ),
  },
  States: {
    'revocation records the serial in the persisted revocation list': certificates(
      'after a crash every certificate, every revocation and the numbers of the lists are there',
    ),
  },
  Endpoints: {
    'DELETE /certificate/internal': lifecycle,
    'GET /pki/crl: CRL, re-signed with 24h validity': list,
    'POST /pki/ocsp: OCSP, 1h response validity': ocsp,
    'list endpoints for certificates take a days filter': certificates('?days=N finds what ends soon'),
  },
  Commands: {
    'agent install, upgrade, uninstall': agent(
      'install prints a unit; uninstall leaves the vault and forgets everything',
    ),
    'agent init (consumes a join token), run': svid,
    'agent status, doctor': health,
    'vault jwt --audience <aud>': developer,
    'vault node-token issue --scope --ttl --uses': svid,
    'vault identity register/list/revoke': agent('an identity that is revoked ends the open stream of its workload'),
  },
  Metrics: { '/metrics on 127.0.0.1:9099 (agent)': health },
  Authentication: {
    'developer commands go through the local agent, which attests the calling shell': developer,
    'agents join with a single-use join token and renew certificates at half-life': unit(
      'runtime/agent/node-renewal',
      'renewed at half its life, give or take a tenth',
    ),
  },
  Certificates: {
    'CSR, or a server-side key that is never stored; default 90 days; idempotent revocation': lifecycle,
    'P-256 issuer; 127-bit random positive serials; notAfter clamped; notBefore minus 60 s': unit(
      'actors/vault/pki/certificate',
      'valid from a minute ago, and never longer than the issuer',
    ),
    'CRL DER and PEM, ETag; CRLNumber persisted before signing; re-signed on revocation and at two thirds': authority(
      'the number of the list is stored before it is signed, and never goes back',
    ),
    'OCSP GET form; nonce echoed; every serial answered; unknown when never issued; no fractional seconds': ocsp,
    'JWT ES256, 5 minutes, one audience, nbf and exp with leeway 5 s; JWKS': jwt,
  },
  Joining: {
    'only the SHA-256 of a token is stored': unit(
      'actors/vault/node/join',
      'a node joins: a certificate for a day with its SPIFFE ID, a refresh token, one use spent',
    ),
    'use is one transaction; 32 racing callers spend exactly the allowed uses': nodes(
      '32 racing callers spend exactly the allowed uses',
    ),
    'the same key may repeat within the TTL and gets the same node without spending a use': nodes(
      'the reply to a join gets lost: the same key gets the same node, and no use is burned',
    ),
    'renewal rotates both; the previous refresh token counts once within 60 s for the same key; reuse revokes the node':
      nodes('the reply to a renewal gets lost: the same request once more, and both rotate'),
    'evicted may join again, banned may not': nodes('evicted may join again, banned may not'),
  },
  Agent: {
    'peer from SO_PEERCRED and a pidfd; checked again after the selectors': unit(
      'runtime/agent/attestor',
      'a peer that runs another program than when it connected is refused',
    ),
    'SPIFFE Workload API, X.509 and JWT profiles': agent(
      'JWT-SVIDs: fetched, verified by jose with the bundle, and by the agent',
    ),
    'status is unhealthy once the identity has expired': unit(
      'runtime/cli/agent',
      'status is unhealthy once the identity has expired, and shows no secret',
    ),
    'survives a vault outage': agent(
      'while the vault is away SVIDs go on counting; what was never fetched is unavailable',
    ),
  },
});
