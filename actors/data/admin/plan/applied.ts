/** A plan applied under the lock, for whoever may: over HTTP or from the command line. */
import type { Work } from '#actors/host/work.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { applyPlan, dryRun, readPlan } from './apply.ts';
import type { Applied, ApplyWish } from './apply.ts';
import { underLock } from './under-lock.ts';
import type { Held } from './under-lock.ts';

/** Null where there is no such plan, `held` where another is being applied. */
export async function applied(work: Work, id: string, wish: ApplyWish): Promise<Applied | Held | null> {
  const found = readPlan(work, id);
  if (found === undefined) return null;
  if (wish.dryRun) return dryRun(found.plan, found.steps, wish);
  return underLock(work, id, (guard) => {
    const { plan, steps } = readPlan(work, id)!; // it may have been applied while this one waited
    return applyPlan(work, plan, steps, wish, guard);
  });
}

/** The event of a plan that was applied, as far as it came. */
export function noteApplied(work: Work, result: Applied): void {
  const { actor, requestId } = work.caller;
  const ts = timestamp(work.activation.context.clock.now());
  const outcome = result.status === 'failed' ? 'failed' : 'ok';
  const data = { ...result };
  work.record(
    { ts, actor, outcome, request_id: requestId, action: 'data.plan.apply', target: result.plan_id, data },
    'always',
  );
}
