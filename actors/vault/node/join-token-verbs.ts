/** `/join-token`: operators issue, list and revoke join tokens. */
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { parseScope, sameScope, scopeText } from './join-token.ts';
import type { NodeRoutes } from './node-routes.ts';
import { newJoinTokenShape } from './node-shapes.ts';
import type { PkiRoom } from '../pki-room.ts';
import { bad, lifetimeOf, pageOf, readShape } from '../read-shape.ts';
import { refuse } from '../refusals.ts';
import { NO_STORE } from '../certificate/show-certificate.ts';
import { showJoinToken } from './show-node.ts';

const PATH = 'join-token';

export async function issueJoinToken(pki: PkiRoom, call: Call): Promise<Outcome<NodeRoutes['issueJoinToken']>> {
  const refused = await pki.keeper.allow(call, 'issue', PATH);
  if (refused !== null) return refused;
  const wish = readShape(call, newJoinTokenShape);
  if (isRefusal(wish)) return wish;
  const scope = parseScope(wish.scope);
  if (scope === null) return bad('scope: dc=<datacenter>,cluster=<cluster>');
  if (!sameScope(scope, pki.ports.scope))
    return bad(`scope: this vault is ${scopeText(pki.ports.scope)}; name that scope`);
  const ttlMs = lifetimeOf(wish.ttl, limits.node.joinTokenMs, limits.node.joinTokenMsMax);
  if (isRefusal(ttlMs)) return ttlMs;
  const { tokens } = pki.joining;
  const { token, record } = await tokens.issue(scope, ttlMs, wish.uses, call.principal!.subject);
  const data = { verb: 'node-token issue', scope: wish.scope, uses: wish.uses };
  await pki.keeper.report(call, {
    action: 'operator',
    target: `${PATH}/${record.id}`,
    outcome: 'ok',
    tenant: null,
    data,
  });
  return reply(201, { ...showJoinToken(record), token }, NO_STORE);
}

export async function listJoinTokens(pki: PkiRoom, call: Call): Promise<Outcome<NodeRoutes['listJoinTokens']>> {
  const refused = await pki.keeper.allow(call, 'list', PATH);
  if (refused !== null) return refused;
  const page = pageOf(call);
  if (isRefusal(page)) return page;
  const records = await pki.joining.tokens.list(page.after, page.limit);
  const next = records.length < page.limit ? null : records.at(-1)!.id;
  return reply(200, { join_tokens: records.map(showJoinToken), count: records.length, next });
}

export async function removeJoinToken(pki: PkiRoom, call: Call): Promise<Outcome<NodeRoutes['removeJoinToken']>> {
  const refused = await pki.keeper.allow(call, 'revoke', PATH);
  if (refused !== null) return refused;
  const id = call.param('id');
  const isGone = await pki.joining.tokens.remove(id);
  if (!isGone) return refuse('vault.join_token_not_found');
  const data = { verb: 'node-token remove' };
  await pki.keeper.report(call, { action: 'operator', target: `${PATH}/${id}`, outcome: 'ok', tenant: null, data });
  return reply(200, { id, removed: true });
}
