/** `POST /superadmin/deploy/tenants/{tenant}/plans`. */
import type { z } from 'zod';
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import type { Identity } from '../identity.ts';
import { readBody } from '../read-body.ts';
import { refuse } from '../refusals.ts';
import { targetOf } from './deployer.ts';
import { relayed } from './relayed.ts';
import type { deployRoutes } from './routes.ts';
import { SENT } from './sent.ts';
import { planRequest, type planReply } from './shapes.ts';

export async function planTenant(
  identity: Identity,
  call: Call,
): Promise<Outcome<(typeof deployRoutes)['deployPlan']>> {
  const target = targetOf(call);
  if (isRefusal(target)) return target;
  const wish = readBody(call, planRequest);
  if (!wish.ok) return wish.refusal;
  const { revision, allow_drops = false } = wish.value;
  call.involve({ target: target.key, data: { revision } });
  if (revision !== null && !SENT.of(call.activation).has(revision)) return refuse('unknown_revision');
  const answer = await relayed(identity, call, target, { route: 'deploy_plan', body: { revision, allow_drops } });
  return isRefusal(answer) ? answer : reply(200, answer.body as z.output<typeof planReply>);
}
