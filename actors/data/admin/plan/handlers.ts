/** Plans over HTTP: made, shown, applied (docs/contract/data-admin.md §3). */
import { z } from 'zod';
import type { Call } from '#actors/host/call.ts';
import { refusalOf } from '#actors/kit/refused.ts';
import { shown } from '#actors/kit/shown.ts';
import { isRefusal, type Refusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { refuse } from '../../refusals.ts';
import { bodyShape, readBody } from '../read-body.ts';
import type { AdminRows } from '../routes.ts';
import { applied, noteApplied } from './applied.ts';
import { readPlan } from './apply.ts';
import { RISKS, type Risk } from './describe.ts';
import { generatePlan } from './generate.ts';
import { showPlan, showPlanned, showStep } from './ledger.ts';

const generateBody = bodyShape({ allow_drops: z.boolean().optional() });
const applyBody = bodyShape({ confirm_max_risk: z.string().optional(), dry_run: z.boolean().optional() });

export async function generate(call: Call): Promise<Outcome<AdminRows['plan_generate']>> {
  const body = readBody(call, generateBody);
  if (isRefusal(body)) return body;
  try {
    const triggeredBy = call.principal?.subject ?? '';
    const made = await generatePlan(call, {
      allowDrops: body.allow_drops ?? false,
      trigger: triggerOf(call),
      triggeredBy,
    });
    return reply(200, showGenerated(made));
  } catch (error) {
    return refusalOf(error, ['v2.definitions_invalid']);
  }
}

/** The node's own calls come from the command line. */
const triggerOf = ({ principal }: Call): 'http' | 'cli' => (principal?.type === 'internal' ? 'cli' : 'http');

/** A plan that was just made, as the contract shows it. */
export function showGenerated({ plan, steps, warnings, refusals }: Awaited<ReturnType<typeof generatePlan>>) {
  return {
    plan_id: plan.PlanID,
    source: plan.Source,
    max_risk: plan.MaxRisk,
    ...(warnings.length > 0 && { warnings }),
    ...(refusals.length > 0 && { refusals }),
    steps: steps.map(showPlanned),
  };
}

export function show(call: Call): Outcome<AdminRows['plan_show']> {
  const id = call.param('id');
  if (id === '') return refuse('v2.missing_plan_id');
  const found = readPlan(call, id);
  if (found === undefined) return noPlan(id);
  const { plan, steps } = found;
  return reply(200, { tenant: call.activation.position.key, plan: showPlan(plan), steps: steps.map(showStep) });
}

export async function apply(call: Call): Promise<Outcome<AdminRows['plan_apply']>> {
  const id = call.param('id');
  if (id === '') return refuse('v2.missing_plan_id');
  const body = readBody(call, applyBody);
  if (isRefusal(body)) return body;
  const confirmed = body.confirm_max_risk === '' ? 'low' : (body.confirm_max_risk ?? 'low');
  if (!isRisk(confirmed)) {
    const message = `confirm_max_risk is one of ${RISKS.join(', ')}, not ${shown(confirmed)}`;
    return refuse('v2.bad_risk', { message });
  }
  const result = await applied(call, id, { confirmed, dryRun: body.dry_run ?? false });
  if (result === null) return noPlan(id);
  if (isRefusal(result)) return result;
  noteApplied(call, result);
  return reply(result.status === 'applied' ? 200 : 207, result);
}

/** GET /applied: the steps of a plan that are done. */
export function listApplied(call: Call): Outcome<AdminRows['plan_applied']> {
  const id = call.query.get('plan_id') ?? '';
  if (id === '') return refuse('v2.missing_plan_id', { message: 'the parameter plan_id is missing' });
  const steps = (readPlan(call, id)?.steps ?? []).filter(({ Status }) => Status === 'applied');
  return reply(200, { tenant: call.activation.position.key, plan_id: id, steps: steps.map(showStep) });
}

function isRisk(text: string): text is Risk {
  return (RISKS as readonly string[]).includes(text);
}

const noPlan = (id: string): Refusal<'v2.plan_not_found'> =>
  refuse('v2.plan_not_found', { message: `no plan ${shown(id)}` });
