/** A plan applied under the lock, for whoever may: over HTTP or from the command line. */
import type { Work } from '#actors/host/work.ts';
import type { Call } from '#actors/host/call.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { DEFAULT_DATASTORE } from '#actors/engine/rows/parameters.ts';
import { operationOf } from '../lock/guard.ts';
import { lockedOut } from '../lock/refused.ts';
import { applyPlan, dryRun, readPlan } from './apply.ts';
import type { Applied, ApplyWish } from './apply.ts';

/** Null where there is no such plan; 409 where another has the lock, or it was lost on the way: what was committed stays. */
export async function applied(
  call: Call,
  id: string,
  wish: ApplyWish,
): Promise<Applied | Refusal<'v2.locked' | 'v2.lock_lost'> | null> {
  const found = readPlan(call, id);
  if (found === undefined) return null;
  if (wish.dryRun) return dryRun(found.plan, found.steps, wish);
  return lockedOut(call, operationOf('apply', DEFAULT_DATASTORE, id), (guard) => {
    const { plan, steps } = readPlan(call, id)!; // it may have been applied while this one waited
    return applyPlan(call, plan, steps, wish, guard);
  });
}

/** The event of a plan that was applied, as far as it came. */
export function noteApplied(work: Work, result: Applied): void {
  const outcome = result.status === 'failed' ? 'failed' : 'ok';
  const data = { ...result };
  work.record(work.event({ outcome, action: 'data.plan.apply', target: result.plan_id, data }), 'always');
}
