/** Every refusal of the vault. Source: docs/contract/vault.md §9, docs/contract/common.md §3.1. */
import { defineRefusals, refuserOf } from '#actors/protocol/refusal.ts';
import { RETRY_SOON, RETRY_WHEN_ROOM } from '#actors/protocol/retry-after.ts';

export const refusals = defineRefusals({
  'vault.bad_request': { statuses: [400], family: 'coded', cause: 'the body, a header or a parameter cannot be read' },
  'vault.unseal_failed': { statuses: [400], family: 'coded', cause: 'the shares are not those of this vault' },
  'vault.unauthorized': {
    statuses: [401],
    family: 'coded',
    cause: 'a client certificate is needed that this vault trusts',
  },
  'vault.forbidden': { statuses: [403], family: 'coded', cause: 'no policy allows this' },
  'vault.join_token_invalid': { statuses: [401], family: 'coded', cause: 'there is no such join token' },
  'vault.refresh_token_invalid': {
    statuses: [401],
    family: 'coded',
    cause: 'this is not the refresh token of the node, or it has expired',
  },
  'vault.refresh_token_reused': {
    statuses: [401],
    family: 'coded',
    cause: 'a refresh token that had been spent was used again: the node is sent away and its certificates are revoked',
  },
  'vault.join_token_expired': { statuses: [403], family: 'coded', cause: 'the join token has expired' },
  'vault.join_token_scope': {
    statuses: [403],
    family: 'coded',
    cause: 'the join token is for another datacenter or cluster',
  },
  'vault.join_token_spent': { statuses: [403], family: 'coded', cause: 'the join token has no use left' },
  'vault.node_away': { statuses: [403], family: 'coded', cause: 'the node was evicted or banned' },
  'vault.node_banned': { statuses: [403], family: 'coded', cause: 'a node of this name was banned' },
  'vault.certificate_not_found': {
    statuses: [404],
    family: 'coded',
    cause: 'no certificate of this serial was issued',
  },
  'vault.join_token_not_found': { statuses: [404], family: 'coded', cause: 'there is no such join token' },
  'vault.node_not_found': { statuses: [404], family: 'coded', cause: 'there is no such node' },
  'vault.identity_not_found': { statuses: [404], family: 'coded', cause: 'there is no such identity' },
  'vault.node_name_taken': { statuses: [409], family: 'coded', cause: 'an active node has this name: evict it first' },
  'vault.secret_not_found': { statuses: [404], family: 'coded', cause: 'there is no readable secret of this name' },
  'vault.version_not_found': {
    statuses: [404],
    family: 'coded',
    cause: 'this version cannot be read any more, or never was',
  },
  'vault.cas_mismatch': {
    statuses: [409],
    family: 'coded',
    cause: 'the newest version is not the one that `cas` names',
  },
  'vault.initialized': { statuses: [409], family: 'coded', cause: 'the vault has its root key already' },
  'vault.too_large': { statuses: [413], family: 'coded', cause: 'the value is over its bound' },
  'vault.envelope_broken': {
    statuses: [500],
    family: 'coded',
    cause: 'what is stored was changed, moved or damaged: it is not given out',
  },
  'vault.internal': { statuses: [500], family: 'coded', cause: 'the service failed' },
  'vault.not_implemented': { statuses: [501], family: 'coded', cause: 'this operation is declared and not built' },
  'vault-not-connected': { statuses: [503], family: 'coded', cause: 'the backend does not answer' },
  'vault-failed-to-retrieve-secret': {
    statuses: [503],
    family: 'coded',
    cause: 'the backend does not answer, so the secret could not be read',
  },
  'vault.sealed': { statuses: [503], family: 'coded', cause: 'the vault is sealed', headers: RETRY_SOON },
  'vault.envelope_key_missing': {
    statuses: [503],
    family: 'coded',
    cause: 'the secret is in an envelope whose key this vault does not have',
  },
  'vault.rolled_back': {
    statuses: [503],
    family: 'coded',
    cause: 'the store is older than what was done on it: an earlier copy was put back',
  },
  'vault.audit_unavailable': {
    statuses: [503],
    family: 'coded',
    cause: 'the audit record could not be written, and this vault does nothing without it',
    headers: RETRY_SOON,
  },
  'vault.unavailable': {
    statuses: [503],
    family: 'coded',
    cause: 'too many requests wait; try again later',
    headers: RETRY_SOON,
  },
  'vault.storage_full': { statuses: [507], family: 'coded', cause: 'the disk has no room', headers: RETRY_WHEN_ROOM },
});

export const refuse = refuserOf(refusals);
