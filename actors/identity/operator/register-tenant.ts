/** `POST /superadmin/registry/tenants`. Spec: decisions.md "Identity" (registry). */
import type { Call } from '#actors/host/call.ts';
import { isPlane, positionOf } from '#actors/protocol/position.ts';
import { reply } from '#actors/protocol/route.ts';
import type { Outcome } from '#actors/protocol/route.ts';
import type { Identity } from '../identity.ts';
import { refuse } from '../refusals.ts';
import { readSuperadmin } from './read-superadmin.ts';
import type { operatorRoutes } from './routes.ts';
import { registerRequest } from './shapes.ts';

type Result = Outcome<typeof operatorRoutes.registerTenant>;

/** The record, new or as it stands: a configured tenant may have registered itself with its first request. */
export async function registerTenant(identity: Identity, call: Call): Promise<Result> {
  const wish = readSuperadmin(call, registerRequest, false);
  if (!wish.ok) return wish.refusal;
  const { customer, product, env, tenant, product_source: source } = wish.value;
  const position = positionOf(customer, product, env, tenant)!;
  if (isPlane(position)) return refuse('bad_request', { message: `tenant: "${tenant}" is reserved for a plane` });
  call.abort();
  const answer = await identity.node.ask('tenant.register', { key: position.key, source: source ?? null });
  if (!answer.ok) return refuse('bad_request', { message: `product_source: ${answer.message}` });
  return reply(201, answer.value);
}
