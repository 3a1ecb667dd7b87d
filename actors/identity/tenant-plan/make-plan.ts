/** `POST /superadmin/registry/tenants/{key}/plans`. */
import type { z } from 'zod';
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { relayed } from '../deploy/relayed.ts';
import type { Identity } from '../identity.ts';
import { askedOf } from './asked.ts';
import type { tenantPlanRoutes } from './routes.ts';
import { planRequest, type planMade } from './shapes.ts';

type Result = Outcome<(typeof tenantPlanRoutes)['makeTenantPlan']>;

export async function makeTenantPlan(identity: Identity, call: Call): Promise<Result> {
  const asked = askedOf(call, planRequest);
  if (isRefusal(asked)) return asked;
  const { to = 'checkout', allow_drops = false } = asked.value;
  call.involve({ target: asked.target.key, data: { to, allow_drops } });
  const made =
    to === 'checkout'
      ? { route: 'superadmin_plan_generate', body: { allow_drops } }
      : { route: 'deploy_plan', body: { revision: null, allow_drops } };
  const answer = await relayed(identity, call, asked.target, made);
  return isRefusal(answer) ? answer : reply(200, answer.body as z.output<typeof planMade>);
}
