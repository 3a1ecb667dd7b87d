/** Nodes, join tokens and identities as answers show them. */
import { timestamp } from '#actors/kit/clock.ts';
import type { Scope } from '../authority/ports.ts';
import { scopeText, type JoinTokenRecord } from './join-token.ts';
import { nodeSpiffeId, type NodePapers } from './node-certificate.ts';
import type { NodeRecord } from './node-record.ts';
import { pemOf } from '../certificate/show-certificate.ts';
import type { IdentityRecord } from '../workload/identities.ts';

export function showNode({ id, name, scope, state, reason, joined_at, renewed_at, refresh, certificates }: NodeRecord) {
  return {
    id,
    name,
    scope: scopeText(scope),
    state,
    ...(reason !== undefined && { reason }),
    joined_at,
    renewed_at,
    refresh_expires_at: timestamp(refresh.expires_ms),
    serials: certificates.map(({ serial }) => serial),
  };
}

export function showJoinToken({ id, scope, expires_ms, uses_max, uses, created_at, created_by }: JoinTokenRecord) {
  return {
    id,
    scope: scopeText(scope),
    expires_at: timestamp(expires_ms),
    uses_max,
    uses: uses.length,
    nodes: uses.map(({ node }) => node),
    created_at,
    created_by,
  };
}

export function showPapers({ node, certificate, refreshToken }: NodePapers, ca: string, trustDomain: string) {
  return {
    node_id: node.id,
    name: node.name,
    spiffe_id: nodeSpiffeId(trustDomain, node.id),
    trust_domain: trustDomain,
    certificate: pemOf(certificate),
    ca,
    not_before: certificate.not_before,
    not_after: certificate.not_after,
    refresh_token: refreshToken,
    refresh_expires_at: timestamp(node.refresh.expires_ms),
  };
}

/** `own` is the scope of this vault; identities that were registered before scopes existed belong to it. */
export function showIdentity(
  { id, spiffe_id, selectors, node, scope, ttl_ms, created_at, created_by }: IdentityRecord,
  own: Scope,
) {
  const where = { scope: scopeText(scope ?? own), node };
  return { id, spiffe_id, selectors, ...where, ttl_seconds: ttl_ms / 1000, created_at, created_by };
}
