/** …/materialize/pending, stats, drain (docs/contract/data-admin.md §7). */
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { isUlid } from '#config/values/id.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { taskCounts, taskPage, type TaskRecord } from '#actors/engine/derived/store.ts';
import { runnerOf } from '../../materialize/runner.ts';
import { refuse } from '../../refusals.ts';
import { placeOf } from '../gate.ts';
import type { UpkeepRows } from '../upkeep-routes.ts';

/** `after` is the id of the previous page's last task, also where that task is done by now; 400 for what is no id. */
export function tasks(call: Call): Outcome<UpkeepRows['materialize_pending']> {
  const behind = call.query.get('after') ?? '';
  if (behind !== '' && !isUlid(behind.toUpperCase())) return refuse('v2.bad_cursor');
  const page = taskPage(call.turn(), behind.toUpperCase(), limits.materialize.pendingPageRows);
  return reply(200, { ...placeOf(call), count: page.length, tasks: page.map(shownTask) });
}

function shownTask(task: TaskRecord) {
  const { id, target_entity, target_field, target_row_id, source_entity, source_op, enqueued_ms, attempts } = task;
  return {
    id,
    target_entity,
    target_field,
    target_row_id: String(target_row_id),
    source_entity,
    source_op,
    enqueued_at: timestamp(enqueued_ms),
    attempts,
  };
}

export function stats(call: Call): Outcome<UpkeepRows['materialize_stats']> {
  const runner = runnerOf(call.activation);
  const { all, failed } = taskCounts(call.turn());
  const running = Math.min(runner.running, all - failed);
  const { state, lastDrainMs, drained } = runner;
  const last_drain_at = lastDrainMs === null ? null : timestamp(lastDrainMs);
  return reply(200, {
    ...placeOf(call),
    counts: { pending: all - failed - running, running, failed },
    ...(runner.active && { runner: { state, last_drain_at, drained } }),
  });
}

export async function drain(call: Call): Promise<Outcome<UpkeepRows['materialize_drain']>> {
  const dispatched = await runnerOf(call.activation).drain(call, 'all');
  return reply(200, { ...placeOf(call), dispatched });
}
