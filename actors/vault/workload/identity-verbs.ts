/** `/identity` for operators: binds SPIFFE IDs to processes. */
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import type { Scope } from '../authority/ports.ts';
import { scopeText } from '../node/join-token.ts';
import { isNodeName } from '../node/node-record.ts';
import type { NodeRoutes } from '../node/node-routes.ts';
import { newIdentityShape, type NewIdentityOrder } from '../node/node-shapes.ts';
import type { PkiRoom } from '../pki-room.ts';
import { bad, lifetimeOf, pageOf, readShape } from '../read-shape.ts';
import { refuse } from '../refusals.ts';
import { showIdentity } from '../node/show-node.ts';
import { flawOfWorkloadId } from './workload-id.ts';

const PATH = 'identity';

export async function registerIdentity(pki: PkiRoom, call: Call): Promise<Outcome<NodeRoutes['registerIdentity']>> {
  const refused = await pki.keeper.allow(call, 'issue', PATH);
  if (refused !== null) return refused;
  const wish = readShape(call, newIdentityShape);
  if (isRefusal(wish)) return wish;
  const isSpiffe = wish.spiffe_id.startsWith('spiffe:');
  const flaw = isSpiffe
    ? flawOfWorkloadId(wish.spiffe_id, pki.ports.trustDomain)
    : 'write an ID that begins with spiffe://';
  if (flaw !== null) return bad(`spiffe_id: ${flaw}`);
  const parentFlaw = flawOfParent(wish, pki.ports.scope);
  if (parentFlaw !== null) return bad(parentFlaw);
  const { workload } = limits;
  const ttl_ms = lifetimeOf(wish.ttl, limits.pki.workloadMs, workload.ttlMsMax, workload.ttlMsMin);
  if (isRefusal(ttl_ms)) return ttl_ms;
  const order = { spiffe_id: wish.spiffe_id, selectors: wish.selectors, node: wish.node ?? null, ttl_ms };
  const registered = await pki.identities.register(order, call.principal!.subject);
  if (registered === null) return bad(`a vault keeps at most ${workload.identitiesMax} identities`);
  const { record, fresh } = registered;
  const data = { verb: 'identity register', spiffe_id: record.spiffe_id, selectors: record.selectors };
  await pki.keeper.report(call, {
    action: 'operator',
    target: `${PATH}/${record.id}`,
    outcome: 'ok',
    tenant: null,
    data,
  });
  return reply(fresh ? 201 : 200, showIdentity(record, pki.ports.scope));
}

/** An identity for every node must be ordered explicitly: a forgotten node name must not mean all nodes. */
function flawOfParent({ node, scope }: NewIdentityOrder, own: Scope): string | null {
  const everyNode = scopeText(own);
  if ((node === undefined) === (scope === undefined))
    return `name one parent: node, or scope (${everyNode}) for all nodes of this cluster`;
  if (node !== undefined) return isNodeName(node) ? null : 'node: write the name of a node';
  return scope === everyNode ? null : `scope: this vault is ${everyNode}; name that scope`;
}

export async function listIdentities(pki: PkiRoom, call: Call): Promise<Outcome<NodeRoutes['listIdentities']>> {
  const refused = await pki.keeper.allow(call, 'list', PATH);
  if (refused !== null) return refused;
  const page = pageOf(call);
  if (isRefusal(page)) return page;
  const records = await pki.identities.list(page.after, page.limit);
  const next = records.length < page.limit ? null : records.at(-1)!.id;
  return reply(200, {
    identities: records.map((one) => showIdentity(one, pki.ports.scope)),
    count: records.length,
    next,
  });
}

export async function revokeIdentity(pki: PkiRoom, call: Call): Promise<Outcome<NodeRoutes['revokeIdentity']>> {
  const refused = await pki.keeper.allow(call, 'revoke', PATH);
  if (refused !== null) return refused;
  const id = call.param('id');
  const gone = await pki.identities.revoke(id);
  if (gone === null) return refuse('vault.identity_not_found');
  const data = { verb: 'identity revoke', spiffe_id: gone.record.spiffe_id, revoked: gone.revoked };
  await pki.keeper.report(call, { action: 'operator', target: `${PATH}/${id}`, outcome: 'ok', tenant: null, data });
  return reply(200, { id, spiffe_id: gone.record.spiffe_id, revoked_certificates: gone.revoked });
}
