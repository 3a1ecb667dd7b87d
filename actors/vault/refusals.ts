/** Every refusal of the vault. Source: docs/contract/vault.md §9, docs/contract/common.md §3.1. */
import { coded, defineRefusals, refuserOf } from '#actors/protocol/refusal.ts';
import { RETRY_SOON, RETRY_WHEN_ROOM } from '#actors/protocol/retry-after.ts';

export const refusals = defineRefusals({
  'vault.bad_request': coded(400, 'the body, a header or a parameter cannot be read'),
  'vault.unseal_failed': coded(400, 'the shares are not those of this vault'),
  'vault.unauthorized': coded(401, 'a client certificate is needed that this vault trusts'),
  'vault.forbidden': coded(403, 'no policy allows this'),
  'vault.join_token_invalid': coded(401, 'there is no such join token'),
  'vault.refresh_token_invalid': coded(401, 'this is not the refresh token of the node, or it has expired'),
  'vault.refresh_token_reused': coded(
    401,
    'a refresh token that had been spent was used again: the node is sent away and its certificates are revoked',
  ),
  'vault.join_token_expired': coded(403, 'the join token has expired'),
  'vault.join_token_scope': coded(403, 'the join token is for another datacenter or cluster'),
  'vault.join_token_spent': coded(403, 'the join token has no use left'),
  'vault.node_away': coded(403, 'the node was evicted or banned'),
  'vault.node_banned': coded(403, 'a node of this name was banned'),
  'vault.certificate_not_found': coded(404, 'no certificate of this serial was issued'),
  'vault.join_token_not_found': coded(404, 'there is no such join token'),
  'vault.node_not_found': coded(404, 'there is no such node'),
  'vault.identity_not_found': coded(404, 'there is no such identity'),
  'vault.node_name_taken': coded(409, 'an active node has this name: evict it first'),
  'vault.secret_not_found': coded(404, 'there is no readable secret of this name'),
  'vault.version_not_found': coded(404, 'this version cannot be read any more, or never was'),
  'vault.cas_mismatch': coded(409, 'the newest version is not the one that `cas` names'),
  'vault.initialized': coded(409, 'the vault has its root key already'),
  'vault.too_large': coded(413, 'the value is over its bound'),
  'vault.envelope_broken': coded(500, 'what is stored was changed, moved or damaged: it is not given out'),
  'vault.internal': coded(500, 'the service failed'),
  'vault.not_implemented': coded(501, 'this operation is declared and not built'),
  'vault-not-connected': coded(503, 'the backend does not answer'),
  'vault-failed-to-retrieve-secret': coded(503, 'the backend does not answer, so the secret could not be read'),
  'vault.sealed': coded(503, 'the vault is sealed', RETRY_SOON),
  'vault.envelope_key_missing': coded(503, 'the secret is in an envelope whose key this vault does not have'),
  'vault.rolled_back': coded(503, 'the store is older than what was done on it: an earlier copy was put back'),
  'vault.audit_unavailable': coded(
    503,
    'the audit record could not be written, and this vault does nothing without it',
    RETRY_SOON,
  ),
  'vault.unavailable': coded(503, 'too many requests wait; try again later', RETRY_SOON),
  'vault.storage_full': coded(507, 'the disk has no room', RETRY_WHEN_ROOM),
});

export const refuse = refuserOf(refusals);
