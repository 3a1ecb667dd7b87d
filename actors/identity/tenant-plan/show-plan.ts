/** `GET /superadmin/registry/tenants/{key}/plans/{id}`: the ledger of a plan, also while it is applied. */
import { z } from 'zod';
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { relayed } from '../deploy/relayed.ts';
import type { Identity } from '../identity.ts';
import { askedOf } from './asked.ts';
import type { tenantPlanRoutes } from './routes.ts';
import type { planShown } from './shapes.ts';

type Result = Outcome<(typeof tenantPlanRoutes)['showTenantPlan']>;

const NO_BODY = z.unknown();

export async function showTenantPlan(identity: Identity, call: Call): Promise<Result> {
  const asked = askedOf(call, NO_BODY);
  if (isRefusal(asked)) return asked;
  const params = [call.param('id')];
  const answer = await relayed(identity, call, asked.target, { route: 'superadmin_plan_show', method: 'GET', params });
  return isRefusal(answer) ? answer : reply(200, answer.body as z.output<typeof planShown>);
}
