/** `POST /superadmin/deploy/tenants/{tenant}/plans/{id}/apply`. */
import type { z } from 'zod';
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import type { Identity } from '../identity.ts';
import { readBody } from '../read-body.ts';
import { targetOf } from './deployer.ts';
import { relayed } from './relayed.ts';
import type { deployRoutes } from './routes.ts';
import { applyRequest, type applyReply } from './shapes.ts';

export async function applyPlan(
  identity: Identity,
  call: Call,
): Promise<Outcome<(typeof deployRoutes)['deployApply']>> {
  const target = targetOf(call);
  if (isRefusal(target)) return target;
  const wish = readBody(call, applyRequest);
  if (!wish.ok) return wish.refusal;
  const id = call.param('id');
  const { confirm_max_risk } = wish.value;
  call.involve({ target: target.key, data: { plan: id, confirm_max_risk } });
  const asked = { route: 'superadmin_plan_apply', params: [id], body: { confirm_max_risk } };
  const answer = await relayed(identity, call, target, asked);
  if (isRefusal(answer)) return answer;
  return reply(answer.status === 200 ? 200 : 207, answer.body as z.output<typeof applyReply>);
}
