/** `/node/…` for nodes themselves, `/nodes` for operators. */
import type { Call } from '#actors/host/call.ts';
import { admits } from '#actors/kit/admits.ts';
import { isRefusal, type Refusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { certified } from '../caller/caller.ts';
import type { VaultAction } from '../event/events.ts';
import { join, type JoinFlaw } from './join.ts';
import { parseScope } from './join-token.ts';
import { nodeSpiffeId, type NodePapers } from './node-certificate.ts';
import { isNodeName, listNodes } from './node-record.ts';
import { renew, type RenewFlaw } from './renew.ts';
import { sendAway } from './send-away.ts';
import type { NodeRoutes } from './node-routes.ts';
import { farewellShape, joinShape, renewShape } from './node-shapes.ts';
import type { PkiRoom } from '../pki-room.ts';
import { readCertificateRequest } from '../pki/certificate-request.ts';
import { bad, pageOf, readShape } from '../read-shape.ts';
import { refuse } from '../refusals.ts';
import { NO_STORE } from '../certificate/show-certificate.ts';
import { showNode, showPapers } from './show-node.ts';

const JOIN_FLAWS = {
  invalid: 'vault.join_token_invalid',
  expired: 'vault.join_token_expired',
  scope: 'vault.join_token_scope',
  spent: 'vault.join_token_spent',
  name_taken: 'vault.node_name_taken',
  banned: 'vault.node_banned',
} as const satisfies Record<JoinFlaw, string>;

const RENEW_FLAWS = {
  invalid: 'vault.refresh_token_invalid',
  expired: 'vault.refresh_token_invalid',
  reused: 'vault.refresh_token_reused',
  away: 'vault.node_away',
} as const satisfies Record<RenewFlaw, string>;

export async function joinVerb(pki: PkiRoom, call: Call): Promise<Outcome<NodeRoutes['join']>> {
  const wish = readShape(call, joinShape);
  if (isRefusal(wish)) return wish;
  const request = readCertificateRequest(wish.csr);
  if (typeof request === 'string') return bad(`csr: ${request}`);
  const scope = parseScope(`dc=${wish.datacenter},cluster=${wish.cluster}`);
  if (scope === null) return bad('datacenter, cluster: write lower-case letters, digits, . _ and -');
  if (!isNodeName(wish.name)) return bad('name: write lower-case letters, digits, . _ and -, as in a host name');
  const outcome = await join(pki.joining, { token: wish.token, request, scope, name: wish.name });
  if (typeof outcome === 'string') {
    await reportOutcome(pki, call, 'agent.join', null, outcome, wish.name);
    return refuse(JOIN_FLAWS[outcome]);
  }
  await reportOutcome(pki, call, 'agent.join', outcome, null, wish.name);
  return reply(201, await papersOf(pki, outcome), NO_STORE);
}

export async function renewVerb(pki: PkiRoom, call: Call): Promise<Outcome<NodeRoutes['renew']>> {
  const nodeId = nodeOf(pki, call);
  if (isRefusal(nodeId)) return nodeId;
  const wish = readShape(call, renewShape);
  if (isRefusal(wish)) return wish;
  const request = readCertificateRequest(wish.csr);
  if (typeof request === 'string') return bad(`csr: ${request}`);
  const outcome = await renew(pki.joining, { nodeId, refreshToken: wish.refresh_token, request });
  if (typeof outcome === 'string') {
    await reportOutcome(pki, call, 'agent.renew', null, outcome, nodeId);
    return refuse(RENEW_FLAWS[outcome]);
  }
  await reportOutcome(pki, call, 'agent.renew', outcome, null, nodeId);
  return reply(200, await papersOf(pki, outcome), NO_STORE);
}

/** The node whose certificate was shown; 403 for any other caller. */
export function nodeOf(pki: PkiRoom, call: Call): string | Refusal<'vault.forbidden'> {
  const caller = pki.keeper.callerOf(call);
  const isNode = caller !== null && admits(call.route.row.callers, caller.principal, null);
  return isNode ? caller.name : refuse('vault.forbidden', { message: 'only a node may send this request' });
}

export async function decommission(pki: PkiRoom, call: Call): Promise<Outcome<NodeRoutes['decommission']>> {
  const nodeId = nodeOf(pki, call);
  if (isRefusal(nodeId)) return nodeId;
  const farewell = { state: 'evicted', reason: 'decommissioned', by: call.principal!.subject } as const;
  const node = await sendAway(pki.joining, nodeId, farewell);
  const outcome = node === null ? 'failed' : 'ok';
  await pki.keeper.report(call, { action: 'agent.decommission', target: nodeId, outcome, tenant: null });
  return node === null ? refuse('vault.node_not_found') : reply(200, showNode(node));
}

export async function listNodesVerb(pki: PkiRoom, call: Call): Promise<Outcome<NodeRoutes['listNodes']>> {
  const refused = await pki.keeper.allow(call, 'list', 'nodes');
  if (refused !== null) return refused;
  const page = pageOf(call);
  if (isRefusal(page)) return page;
  const records = await listNodes(pki.ports.store, page.after, page.limit);
  const next = records.length < page.limit ? null : records.at(-1)!.id;
  return reply(200, { nodes: records.map(showNode), count: records.length, next });
}

export function farewellVerb(state: 'evicted' | 'banned') {
  return async (pki: PkiRoom, call: Call): Promise<Outcome<NodeRoutes['evict']>> => {
    const refused = await pki.keeper.allow(call, 'revoke', 'nodes');
    if (refused !== null) return refused;
    const wish = readShape(call, farewellShape);
    if (isRefusal(wish)) return wish;
    const id = call.param('id');
    const by = call.principal!.subject;
    const node = await sendAway(pki.joining, id, { state, reason: wish.reason ?? state, by });
    if (node === null) return refuse('vault.node_not_found');
    const data = { verb: state, reason: node.reason };
    await pki.keeper.report(call, { action: 'operator', target: `nodes/${id}`, outcome: 'ok', tenant: null, data });
    return reply(200, showNode(node));
  };
}

async function papersOf(pki: PkiRoom, papers: NodePapers) {
  return showPapers(papers, (await pki.keys.authority()).pem, pki.ports.trustDomain);
}

/** A joining machine has no certificate yet: the event names the node that it becomes. */
async function reportOutcome(
  pki: PkiRoom,
  call: Call,
  action: VaultAction,
  papers: NodePapers | null,
  why: string | null,
  target: string,
): Promise<void> {
  if (papers !== null && call.principal === null)
    call.principal = certified(nodeSpiffeId(pki.ports.trustDomain, papers.node.id), 'node');
  const data = papers === null ? { why } : { name: papers.node.name, serial: papers.certificate.serial };
  await pki.keeper.report(call, { action, target, outcome: papers === null ? 'denied' : 'ok', tenant: null, data });
}
