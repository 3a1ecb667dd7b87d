/** Deletes submissions past the retention of their form, some in each commit, between the turns of callers. */
import { limits } from '#config/limits.ts';
import { commitWhenRoom, untilFree } from '#actors/host/pace/own-turns.ts';
import type { Work } from '#actors/host/work.ts';
import { dueSubmissions, removeSubmission } from './store.ts';

/** When the next one is past its time, in milliseconds since the epoch; null for never. Throws TenantClosed when the host ends. */
export async function expireSubmissions(work: Work): Promise<number | null> {
  for (;;) {
    await untilFree(work);
    const turn = work.nextTurn();
    const { due, nextMs } = dueSubmissions(turn, work.now, limits.submissions.expireRows);
    if (due.length === 0) {
      work.abort();
      return nextMs;
    }
    for (const one of due) removeSubmission(turn, one);
    await commitWhenRoom(work);
  }
}
