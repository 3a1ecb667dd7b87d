/** Routes of join tokens, nodes and workloads' identities. Source: docs/contract/vault-pki.md §5, §6. */
import { anyone } from '#actors/protocol/callers.ts';
import { defineRoutes } from '#actors/protocol/route.ts';
import * as shapes from './node-shapes.ts';
import type { refusals } from '../refusals.ts';
import { COMMON, STORE_FAULTS, nodes, of, post, read } from '../row-kit.ts';

const remove = { ...of, methods: ['DELETE'], body: 'none' } as const;

export const nodeRoutes = defineRoutes<typeof refusals>()({
  issueJoinToken: {
    ...post,
    path: '/join-token',
    request: shapes.newJoinTokenShape,
    replies: { 201: shapes.issuedJoinTokenShape },
    refusals: COMMON,
    summary: 'A join token for a scope, with a lifetime and a number of uses; its text is given this once.',
  },
  listJoinTokens: {
    ...read,
    path: '/join-token',
    replies: { 200: shapes.joinTokensShape },
    refusals: COMMON,
    summary: 'Join tokens and the nodes that joined with them, never their texts: `after`, `limit`.',
  },
  removeJoinToken: {
    ...remove,
    path: '/join-token/{id}',
    replies: { 200: shapes.removedShape },
    refusals: [...COMMON, 'vault.join_token_not_found'],
    summary: 'Revoke a join token; the nodes that joined with it stay.',
  },
  join: {
    ...post,
    callers: anyone('a join token'),
    rate: 'vault_anonymous',
    path: '/node/join',
    request: shapes.joinShape,
    replies: { 201: shapes.papersShape },
    refusals: [
      'vault.bad_request',
      ...STORE_FAULTS,
      'vault.join_token_invalid',
      'vault.join_token_expired',
      'vault.join_token_scope',
      'vault.join_token_spent',
      'vault.node_name_taken',
      'vault.node_banned',
    ],
    summary: 'Spend a join token on a node. The same key may ask again and gets the same node, without spending a use.',
  },
  renew: {
    ...post,
    callers: nodes,
    path: '/node/renew',
    request: shapes.renewShape,
    replies: { 200: shapes.papersShape },
    refusals: [...COMMON, 'vault.refresh_token_invalid', 'vault.refresh_token_reused', 'vault.node_away'],
    summary: 'A new certificate and a new refresh token for the node whose certificate is shown.',
  },
  decommission: {
    ...remove,
    callers: nodes,
    path: '/node/self',
    replies: { 200: shapes.nodeShape },
    refusals: [...COMMON, 'vault.node_not_found'],
    summary: 'Decommission the node whose certificate is shown; it may join again with a token.',
  },
  listNodes: {
    ...read,
    path: '/nodes',
    replies: { 200: shapes.nodesShape },
    refusals: COMMON,
    summary: 'Nodes and their states: `after`, `limit`.',
  },
  evict: {
    ...post,
    path: '/nodes/{id}/evict',
    request: shapes.farewellShape,
    replies: { 200: shapes.nodeShape },
    refusals: [...COMMON, 'vault.node_not_found'],
    summary: 'Evict a node and revoke its certificates; it may join again.',
  },
  ban: {
    ...post,
    path: '/nodes/{id}/ban',
    request: shapes.farewellShape,
    replies: { 200: shapes.nodeShape },
    refusals: [...COMMON, 'vault.node_not_found'],
    summary: 'Ban a node: its certificates are revoked, and its name cannot join again.',
  },
  registerIdentity: {
    ...post,
    path: '/identity',
    request: shapes.newIdentityShape,
    replies: { 200: shapes.identityShape, 201: shapes.identityShape },
    refusals: COMMON,
    summary: 'Bind a SPIFFE ID to selectors; a repetition gives the identity that exists.',
  },
  listIdentities: {
    ...read,
    path: '/identity',
    replies: { 200: shapes.identitiesShape },
    refusals: COMMON,
    summary: 'Identities: `after`, `limit`.',
  },
  revokeIdentity: {
    ...remove,
    path: '/identity/{id}',
    replies: { 200: shapes.revokedIdentityShape },
    refusals: [...COMMON, 'vault.identity_not_found'],
    summary: 'Revoke an identity and its unexpired certificates.',
  },
  workloadIdentities: {
    ...read,
    callers: nodes,
    path: '/workload/identities',
    replies: { 200: shapes.identitiesShape },
    refusals: [...COMMON, 'vault.node_away'],
    summary: 'For an agent: the identities that its node may hand out.',
  },
  workloadCertificate: {
    ...post,
    callers: nodes,
    path: '/workload/certificate',
    request: shapes.svidOrderShape,
    replies: { 200: shapes.svidShape },
    refusals: [...COMMON, 'vault.node_away', 'vault.identity_not_found'],
    summary: 'For an agent: an X.509-SVID of an identity that it has attested.',
  },
  workloadJwt: {
    ...post,
    callers: nodes,
    path: '/workload/jwt',
    request: shapes.jwtSvidOrderShape,
    replies: { 200: shapes.jwtSvidShape },
    refusals: [...COMMON, 'vault.node_away', 'vault.identity_not_found'],
    summary: 'For an agent: a JWT-SVID of an identity that it has attested.',
  },
});
export type NodeRoutes = typeof nodeRoutes;
