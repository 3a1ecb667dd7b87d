/** Stages the tasks of materialized fields in the turn that writes their source, so that both are committed or neither is. */
import { ownerOf } from '#actors/protocol/turn-owner.ts';
import { isDeleted, type Slots } from '../rows/codec.ts';
import type { EntityModel, Feed } from '../rows/model.ts';
import { getTask, putTask, taskIdOf, type TaskRecord, type Turn } from './store.ts';

/** Stages a task for each materialized field whose value may change with this change of a row of `model`. */
export function enqueueFeeds(turn: Turn, model: EntityModel, before: Slots | null, after: Slots | null): void {
  for (const feed of model.feeds) {
    const old = targetOf(feed, before);
    const now = targetOf(feed, after);
    if (old === now && (old === null || isSame(feed, before!, after!))) continue;
    const op = before === null ? 'create' : after === null || now === null ? 'delete' : 'update';
    if (old !== null) enqueue(turn, feed, old, op);
    if (now !== null && now !== old) enqueue(turn, feed, now, op);
  }
}

/** The key of the row whose field a source row counts for; null for a deleted row and for one without a reference. */
function targetOf({ by }: Feed, slots: Slots | null): string | number | null {
  return slots === null || isDeleted(slots) ? null : (slots[by.at] as string | number | null);
}

/** Whether a row contributes the same value before and after. */
function isSame({ value, of }: Feed, before: Slots, after: Slots): boolean {
  return value === 'count' || (of !== null && before[of.at] === after[of.at]);
}

/**
 * Stages the task of one field of a row. A waiting task is left as it is, unless more triggers led to this change; a task that is being computed
 * is reset, so that it is computed again.
 */
export function enqueue(turn: Turn, feed: Feed, rowId: string | number, op: TaskRecord['source_op']): void {
  const { target, column, source } = feed;
  const id = taskIdOf(target.table, column.at, rowId);
  const before = getTask(turn, id);
  const depth = ownerOf(turn)?.triggerDepth ?? 0;
  if (before === undefined || before.state === 'failed' || before.token !== '' || depth > (before.depth ?? 0)) {
    putTask(turn, before, {
      id,
      target_entity: target.name,
      target_field: column.name,
      target_row_id: rowId,
      source_entity: source.name,
      source_op: op,
      enqueued_ms: ownerOf(turn)?.now ?? 0,
      attempts: 0,
      state: 'pending',
      token: '',
      error: '',
      ...(depth > 0 && { depth }),
    });
  }
  wakeRunner(turn);
}

const waking = new WeakSet<Turn>();

/** Wakes the runner once for all tasks of a turn, when they are committed. */
function wakeRunner(turn: Turn): void {
  const owner = ownerOf(turn);
  if (owner === undefined || waking.has(turn)) return;
  waking.add(turn);
  owner.onEnd((newest) => {
    if (newest !== null) owner.deriveSoon();
  });
}
