/** `POST /superadmin/registry/tenants/{key}/provision`. Spec: docs/contract/identity-users.md §6. */
import type { Call } from '#actors/host/call.ts';
import type { NodeRefusal } from '#actors/protocol/node-verbs.ts';
import { parsePosition } from '#actors/protocol/position.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import type { Identity } from '../identity.ts';
import { refuse } from '../refusals.ts';
import { readSuperadmin } from './read-superadmin.ts';
import type { operatorRoutes } from './routes.ts';
import { provisionRequest } from './shapes.ts';

type Result = Outcome<typeof operatorRoutes.provisionTenant>;

/** Idempotent: a repeated call continues an interrupted provisioning. Main does the work, since it takes three actors. */
export async function provisionTenant(identity: Identity, call: Call): Promise<Result> {
  const key = call.param('key');
  const wish = readSuperadmin(call, { shape: provisionRequest, emptyIsObject: true, target: () => parsePosition(key) });
  if (!wish.ok) return wish.refusal;
  const { actor, request_id } = call.who;
  const asker = { actor, request_id };
  call.abort();
  const admin = wish.value.admin;
  const answer = await identity.node.ask('tenant.provision', {
    key,
    admin: admin === undefined || admin === null ? null : { ...admin, by: asker },
    asker,
  });
  return answer.ok ? reply(200, answer.value) : refusalOf(answer);
}

function refusalOf({ why, message }: NodeRefusal): Result {
  return why === 'unknown' ? refuse('unknown_tenant') : refuse('provision_failed', { message });
}
