/**
 * Requests of superadmins about another tenant: authorized here, at the headers' position, and answered by the tenant in the path, on its own
 * host (docs/contract/common.md §1.4).
 */
import type { Call } from '#actors/host/call.ts';
import { admits } from '#actors/kit/admits.ts';
import { shown } from '#actors/kit/shown.ts';
import { isSegment, parsePosition, positionOf } from '#actors/protocol/position.ts';
import { isAtOrOver } from '#actors/protocol/reach.ts';
import type { Relay, RelayedCall } from '#actors/protocol/relay.ts';
import { isRefusal, type Refusal } from '#actors/protocol/refusal.ts';
import { reply, replyAgain, type Outcome, type Reply } from '#actors/protocol/route.ts';
import type { Method } from '#actors/protocol/method.ts';
import { refuse } from '../refusals.ts';
import { LISTERS } from './class.ts';
import type { nodeRows } from './superadmin-routes.ts';

/** The tenant in the path, or the refusal: the caller must be a superadmin, the name one segment, and the caller's position over that tenant. */
function targetOf(call: Call): { readonly key: string } | Refusal {
  const refused = refusedOutsider(call);
  if (refused !== null) return refused;
  const tenant = call.param('tenant');
  if (tenant === '') return refuse('v2.missing_tenant');
  if (!isSegment(tenant)) return refuse('v2.invalid_tenant', { details: { tenant: shown(tenant) } });
  const { customer, product, env } = call.activation.position;
  const target = positionOf(customer, product, env, tenant)!;
  return admits(call.route.row.callers, call.principal, target) ? target : refuse('v2.requires_superadmin');
}

/** Asked before the tenant is looked at: a caller who is no superadmin at the headers' position learns nothing of it. */
function refusedOutsider({ principal, activation }: Call): Refusal<'v2.requires_superadmin'> | null {
  return admits(LISTERS, principal, activation.position) ? null : refuse('v2.requires_superadmin');
}

/** The handler of a row that another tenant answers. */
export function relaying(relay: Relay): (call: Call) => Promise<Reply<never, never> | Refusal<never>> {
  return async (call) => {
    const target = targetOf(call);
    if (isRefusal(target)) return target as Refusal<never>;
    const answer = await relay.call(target.key, relayed(call));
    if (answer === null)
      return refuse('v2.no_tenant', { message: `no active tenant ${target.key}` }) as Refusal as Refusal<never>;
    const { status, headers, text, type } = answer;
    return replyAgain(status, text, type, headers);
  };
}

function relayed(call: Call): RelayedCall {
  const { route, requestId, body, principal, rawQuery, rawParams } = call;
  const method = (call.method === 'HEAD' ? 'GET' : call.method) as Method;
  return { route: route.name, method, params: rawParams, query: rawQuery, requestId, body, principal: principal! };
}

/** GET /data/superadmin/tenant: the tenants that are awake and that the caller's position is over; the control plane is over all. */
export async function listTenants(call: Call, relay: Relay): Promise<Outcome<(typeof nodeRows)['superadmin_tenants']>> {
  const refused = refusedOutsider(call);
  if (refused !== null) return refused;
  const { position, context } = call.activation;
  const reached = (key: string): boolean => isAtOrOver(position.key, parsePosition(key));
  try {
    const tenants = (await relay.awake()).filter(reached).toSorted();
    return reply(200, { tenants, count: tenants.length });
  } catch (error) {
    context.log.error({ err: error }, 'the tenants could not be listed: a host did not answer; try again');
    return refuse('v2.list_tenants_failed');
  }
}
