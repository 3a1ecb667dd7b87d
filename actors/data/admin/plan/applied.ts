/** Applies a plan under its lock, for HTTP and for the command line. */
import type { Work } from '#actors/host/work.ts';
import type { Call } from '#actors/host/call.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { DEFAULT_DATASTORE } from '#actors/engine/rows/parameters.ts';
import { operationOf } from '../lock/guard.ts';
import { lockedOut } from '../lock/refused.ts';
import { applyPlan, dryRun, readPlan, type Applied, type ApplyWish } from './apply.ts';

/** Null for an unknown plan; 409 where another operation has the lock, or this one lost it on the way: what was committed stays. */
export async function applied(
  call: Call,
  id: string,
  wish: ApplyWish,
): Promise<Applied | Refusal<'v2.locked' | 'v2.lock_lost'> | null> {
  const found = readPlan(call, id);
  if (found === undefined) return null;
  if (wish.dryRun) return dryRun(found.plan, found.steps, wish);
  return lockedOut(call, operationOf('apply', DEFAULT_DATASTORE, id), (guard) => {
    const { plan, steps } = readPlan(call, id)!; // another request may have applied it meanwhile
    return applyPlan(call, plan, steps, wish, guard);
  });
}

/** Records the event of an apply with its result. */
export function noteApplied(work: Work, result: Applied): void {
  const outcome = result.status === 'failed' ? 'failed' : 'ok';
  const data = { ...result };
  work.record(work.event({ outcome, action: 'data.plan.apply', target: result.plan_id, data }), 'always');
}
