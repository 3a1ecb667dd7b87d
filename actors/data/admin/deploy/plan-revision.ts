/** Makes a plan from what a tenant has stored to a revision that the node keeps, or back to the one that the tenant served before. */
import { z } from 'zod';
import type { Call } from '#actors/host/call.ts';
import { refusalOf } from '#actors/kit/refused.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { findFormerRevision, findRevision } from '#actors/engine/schema/store.ts';
import { refuse } from '../../refusals.ts';
import { generatePlan } from '../plan/generate.ts';
import { showGenerated } from '../plan/handlers.ts';
import { bodyShape, readBody } from '../read-body.ts';
import type { DeployRows } from './routes.ts';

/** `revision` null: the former one. */
const body = bodyShape({ revision: z.string().nullable(), allow_drops: z.boolean() });

export async function planRevision(call: Call): Promise<Outcome<DeployRows['deploy_plan']>> {
  const wish = readBody(call, body);
  if (isRefusal(wish)) return wish as Outcome<DeployRows['deploy_plan']>;
  const turn = call.turn();
  const serves = findRevision(turn) ?? null;
  const revision = wish.revision ?? findFormerRevision(turn);
  call.abort();
  if (revision === undefined)
    return refuse('v2.definitions_invalid', {
      message: 'the tenant has served no other revision that it could return to',
    });
  try {
    const made = await generatePlan(call, {
      allowDrops: wish.allow_drops,
      trigger: 'http',
      triggeredBy: call.principal?.subject ?? '',
      revision,
    });
    return reply(200, { ...showGenerated(made), revision, serves });
  } catch (error) {
    return refusalOf(error, ['v2.definitions_invalid']);
  }
}
