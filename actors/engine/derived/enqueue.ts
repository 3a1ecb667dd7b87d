/** A write of a source enters its tasks in the turn that makes it, so that the commit has both or neither. */
import { ownerOf } from '#actors/protocol/turn-owner.ts';
import { isDeleted } from '../rows/codec.ts';
import type { Slots } from '../rows/codec.ts';
import type { EntityModel, Feed } from '../rows/model.ts';
import { getTask, putTask, taskIdOf } from './store.ts';
import type { TaskRecord, Turn } from './store.ts';

/** Stages a task for each field that the change of a row of `model` may change. */
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

/** The row that a live row feeds. */
function targetOf({ by }: Feed, slots: Slots | null): string | number | null {
  return slots === null || isDeleted(slots) ? null : (slots[by.at] as string | number | null);
}

/** Whether a row counts for the same before and after. */
function isSame({ value, of }: Feed, before: Slots, after: Slots): boolean {
  return value === 'count' || (of !== null && before[of.at] === after[of.at]);
}

/** Stages the task of a field of a row. One that waits already is left as it is; one under way is told that it is too late. */
export function enqueue(turn: Turn, feed: Feed, rowId: string | number, op: TaskRecord['source_op']): void {
  const { target, column, source } = feed;
  const id = taskIdOf(target.table, column.at, rowId);
  const before = getTask(turn, id);
  if (before === undefined || before.state === 'failed' || before.token !== '') {
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
    });
  }
  tell(turn);
}

const told = new WeakSet<Turn>();

/** The runner hears of a turn's tasks once, when they are committed. */
function tell(turn: Turn): void {
  const owner = ownerOf(turn);
  if (owner === undefined || told.has(turn)) return;
  told.add(turn);
  owner.onEnd((newest) => {
    if (newest !== null) owner.deriveSoon();
  });
}
