/** `/workload/…`: requests of an agent for processes that it has attested. The vault trusts a node only with that node's identities. */
import { limits } from '#config/limits.ts';
import { timestamp } from '#actors/kit/clock.ts';
import type { Call } from '#actors/host/call.ts';
import { isRefusal, type Refusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { readNode, type NodeRecord } from '../node/node-record.ts';
import type { NodeRoutes } from '../node/node-routes.ts';
import { jwtSvidOrderShape, svidOrderShape } from '../node/node-shapes.ts';
import { nodeOf } from '../node/node-verbs.ts';
import type { PkiRoom } from '../pki-room.ts';
import { readCertificateRequest } from '../pki/certificate-request.ts';
import { bad, readShape } from '../read-shape.ts';
import { refuse } from '../refusals.ts';
import { NO_STORE, pemOf } from '../certificate/show-certificate.ts';
import { showIdentity } from '../node/show-node.ts';
import type { IdentityRecord } from './identities.ts';

export async function workloadIdentities(pki: PkiRoom, call: Call): Promise<Outcome<NodeRoutes['workloadIdentities']>> {
  const node = await activeNode(pki, call);
  if (isRefusal(node)) return node;
  const identities = (await pki.identities.ofNode(node)).map((one) => showIdentity(one, pki.ports.scope));
  return reply(200, { identities, count: identities.length, next: null }, NO_STORE);
}

export async function workloadCertificate(
  pki: PkiRoom,
  call: Call,
): Promise<Outcome<NodeRoutes['workloadCertificate']>> {
  const node = await activeNode(pki, call);
  if (isRefusal(node)) return node;
  const wish = readShape(call, svidOrderShape);
  if (isRefusal(wish)) return wish;
  const request = readCertificateRequest(wish.csr);
  if (typeof request === 'string') return bad(`csr: ${request}`);
  const identity = await identityOf(pki, node, wish.identity_id);
  if (isRefusal(identity)) return identity;
  const { subject } = call.principal!;
  const record = await pki.identities.certify(identity, request, { id: node.id, spiffeId: subject });
  if (record === null) return refuse('vault.identity_not_found');
  // Evicting a node revokes the certificates it finds; one that was issued later is revoked here.
  const still = await activeNode(pki, call);
  if (isRefusal(still)) {
    await pki.book.revoke(record.serial, 'cessationOfOperation');
    return still;
  }
  const { serial, not_after } = record;
  const data = { spiffe_id: identity.spiffe_id, node: node.id, not_after };
  await pki.keeper.report(call, { action: 'cert.issue', target: serial, outcome: 'ok', tenant: null, data });
  const { pem: ca } = await pki.keys.authority();
  return reply(200, { serial, spiffe_id: identity.spiffe_id, certificate: pemOf(record), ca, not_after }, NO_STORE);
}

export async function workloadJwt(pki: PkiRoom, call: Call): Promise<Outcome<NodeRoutes['workloadJwt']>> {
  const node = await activeNode(pki, call);
  if (isRefusal(node)) return node;
  const wish = readShape(call, jwtSvidOrderShape);
  if (isRefusal(wish)) return wish;
  const identity = await identityOf(pki, node, wish.identity_id);
  if (isRefusal(identity)) return identity;
  const { spiffe_id } = identity;
  const audience = wish.audience.length === 1 ? wish.audience[0]! : wish.audience;
  const order = { subject: spiffe_id, audience, lifetimeMs: limits.pki.jwtMs, claims: {} };
  const { token, expiresAtMs } = await pki.jwts.issue(order);
  const expires_at = timestamp(expiresAtMs);
  const data = { subject: spiffe_id, node: node.id, expires_at };
  const event = { action: 'jwt.issue', target: wish.audience.join(' '), outcome: 'ok', tenant: null, data } as const;
  await pki.keeper.report(call, event);
  return reply(200, { token, spiffe_id, expires_at }, NO_STORE);
}

/** The node whose certificate is shown, unless it was evicted or banned: not every list has its certificate yet. */
async function activeNode(
  pki: PkiRoom,
  call: Call,
): Promise<NodeRecord | Refusal<'vault.forbidden' | 'vault.node_away'>> {
  const id = nodeOf(pki, call);
  if (isRefusal(id)) return id;
  const kept = await readNode(pki.ports.store, id);
  return kept?.record.state === 'active' ? kept.record : refuse('vault.node_away');
}

async function identityOf(
  pki: PkiRoom,
  node: NodeRecord,
  id: string,
): Promise<IdentityRecord | Refusal<'vault.identity_not_found'>> {
  const identity = await pki.identities.read(id);
  return identity !== null && pki.identities.isOf(identity, node) ? identity : refuse('vault.identity_not_found');
}
