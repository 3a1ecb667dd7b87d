/** `POST /superadmin/registry/tenants/{key}/plans/{id}/apply`. */
import type { z } from 'zod';
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { relayed } from '../deploy/relayed.ts';
import type { Identity } from '../identity.ts';
import { askedOf } from './asked.ts';
import type { tenantPlanRoutes } from './routes.ts';
import { applyRequest, type applyReply } from './shapes.ts';

type Result = Outcome<(typeof tenantPlanRoutes)['applyTenantPlan']>;

export async function applyTenantPlan(identity: Identity, call: Call): Promise<Result> {
  const asked = askedOf(call, applyRequest);
  if (isRefusal(asked)) return asked;
  const id = call.param('id');
  const { confirm_max_risk } = asked.value;
  call.involve({ target: asked.target.key, data: { plan: id, confirm_max_risk } });
  const wish = { route: 'superadmin_plan_apply', params: [id], body: { confirm_max_risk } };
  const answer = await relayed(identity, call, asked.target, wish);
  if (isRefusal(answer)) return answer;
  return reply(answer.status === 200 ? 200 : 207, answer.body as z.output<typeof applyReply>);
}
