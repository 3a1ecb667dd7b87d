/** `POST /superadmin/registry/tenants`. Spec: docs/contract/identity-users.md §6. */
import type { z } from 'zod';
import type { Call } from '#actors/host/call.ts';
import { isPlane, positionOf, type Position } from '#actors/protocol/position.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { principalOf, type Identity } from '../identity.ts';
import { refuse } from '../refusals.ts';
import { readSuperadmin } from './read-superadmin.ts';
import type { operatorRoutes } from './routes.ts';
import { registerRequest } from './shapes.ts';

type Result = Outcome<typeof operatorRoutes.registerTenant>;

/** The record, new or existing: the first request to a configured tenant may have registered it. */
export async function registerTenant(identity: Identity, call: Call): Promise<Result> {
  const wish = readSuperadmin(call, { shape: registerRequest, emptyIsObject: false, target: positionIn });
  if (!wish.ok) return wish.refusal;
  const position = positionIn(wish.value);
  if (isPlane(position))
    return refuse('bad_request', { message: `tenant: "${position.tenant}" is reserved for a plane` });
  const { tenant: by } = principalOf(call);
  const { actor, request_id } = call.who;
  call.abort();
  const source = wish.value.product_source ?? null;
  const answer = await identity.node.ask('tenant.register', {
    key: position.key,
    source,
    by,
    asker: { actor, request_id },
  });
  if (!answer.ok) return refuse('bad_request', { message: `product_source: ${answer.message}` });
  return reply(201, answer.value);
}

/** The shape of the body has checked the segments. */
function positionIn({ customer, product, env, tenant }: z.output<typeof registerRequest>): Position {
  return positionOf(customer, product, env, tenant)!;
}
