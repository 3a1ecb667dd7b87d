/**
 * One pass over the tasks of a tenant. Most values fit a slice: computed and written in one turn. One that does not is computed over a snapshot,
 * in slices, and its task carries a token meanwhile: a write of a source removes the token, and the task stays for the next pass. What a crash
 * interrupts is done again from the beginning.
 */
import { limits } from '#config/limits.ts';
import type { Work } from '#actors/host/work.ts';
import { INTERNAL } from '#actors/protocol/principal.ts';
import type { Feed } from '#actors/engine/rows/model.ts';
import { commitWhenRoom, roomFor, untilFree } from '#actors/host/pace/own-turns.ts';
import { VERSION_AT, versionOf } from '#actors/engine/rows/codec.ts';
import { isFailure } from '#actors/engine/rows/failure.ts';
import { READ_SLICE, readInSlices } from '#actors/engine/rows/pace.ts';
import { Budget } from '#actors/kit/pace/budget.ts';
import type { Session } from '#actors/engine/rows/session.ts';
import { getSlots } from '#actors/engine/rows/store.ts';
import { writeRow } from '#actors/engine/rows/write.ts';
import { servedModels } from '../part.ts';
import { sessionAs } from '../rest/session.ts';
import { compute, Uncomputed } from '#actors/engine/derived/compute.ts';
import type { UnderWay, Wanted } from './runner.ts';
import { dropTask, getTask, putTask, taskPage, type TaskRecord, type Turn } from '#actors/engine/derived/store.ts';

export class Drain {
  readonly #work: Work;
  readonly #session: Session;
  /** What is left of the slice; null before one begins. */
  #pace: Budget | null = null;
  /** The task that is computed over a snapshot. */
  readonly #underWay: UnderWay;

  constructor(work: Work, underWay: UnderWay) {
    this.#work = work;
    this.#session = sessionAs(work, INTERNAL, servedModels(work.activation));
    this.#underWay = underWay;
  }

  /** Does the tasks that are there; gives how many it began. Throws StorageFull: what was committed stays. */
  async pass(wanted: Wanted): Promise<number> {
    let dispatched = 0;
    let behind = '';
    while (dispatched < limits.materialize.passTasksMax) {
      await roomFor(this.#work);
      await untilFree(this.#work);
      const page = taskPage(this.#work.nextTurn(), behind, limits.materialize.pendingPageRows);
      for (const task of page) {
        if (wanted === 'hopeful' && isGivenUp(task)) continue;
        dispatched++;
        await this.#task(task.id);
      }
      await this.#commit();
      if (page.length < limits.materialize.pendingPageRows) break;
      behind = page[page.length - 1]!.id;
    }
    return dispatched;
  }

  async #task(id: string): Promise<void> {
    if (this.#pace === null) await this.#nextSlice();
    const turn = this.#session.turn();
    const task = getTask(turn, id);
    if (task === undefined) return;
    const feed = this.#feedOf(task);
    if (feed === null) {
      dropTask(turn, task);
      return;
    }
    try {
      const whole = this.#fits(feed, task);
      if (whole === null) await this.#long(task, feed);
      else this.#write(turn, task, feed, whole.value);
    } catch (error) {
      if (!(error instanceof Uncomputed)) throw error;
      await this.#failed(task.id, error.message);
    }
    if (this.#pace?.spend(1) === true) await this.#commit();
  }

  /** The value, when what is left of the slice is enough for it. */
  #fits(feed: Feed, task: TaskRecord): { readonly value: unknown } | null {
    const steps = compute(feed, task.target_row_id, this.#session.turn(), this.#pace!);
    const step = steps.next();
    if (step.done === true) return { value: step.value };
    steps.return(undefined);
    return null;
  }

  /** A value that did not fit the rest of its slice: computed in one of its own, else over a snapshot. */
  async #long(task: TaskRecord, feed: Feed): Promise<void> {
    await this.#nextSlice();
    const whole = this.#fits(feed, task);
    const waits = getTask(this.#session.turn(), task.id);
    if (waits === undefined) return;
    if (whole !== null) this.#write(this.#session.turn(), waits, feed, whole.value);
    else await this.#overSnapshot(waits, feed);
  }

  async #overSnapshot(task: TaskRecord, feed: Feed): Promise<void> {
    const token = this.#session.ids.next();
    putTask(this.#session.turn(), task, { ...task, token });
    await this.#commit();
    this.#underWay(true);
    try {
      const value = await readInSlices(this.#session, true, (reader, pace) =>
        compute(feed, task.target_row_id, reader, pace),
      );
      if (isFailure(value)) throw new Uncomputed(value.message);
      await this.#nextSlice();
      const again = getTask(this.#session.turn(), task.id);
      if (again !== undefined) this.#write(this.#session.turn(), again, feed, value, again.token === token);
    } finally {
      this.#underWay(false);
    }
  }

  /** Stages the value, and the end of its task unless a source has changed since. */
  #write(turn: Turn, task: TaskRecord, { target, column }: Feed, value: unknown, isNewest = true): void {
    const id = target.idOf(task.target_row_id);
    const before = id === null ? undefined : getSlots(turn, target, id);
    if (before !== undefined && before[column.at] !== value) {
      // What the value fires is as deep as what led to it, or triggers could fire one another through it without an end.
      this.#work.triggerDepth = Math.max(this.#work.triggerDepth, task.depth ?? 0);
      const after = before.slice();
      after[column.at] = value;
      after[VERSION_AT] = versionOf(before) + 1;
      const refused = writeRow(turn, target, id!, before, after);
      if (refused !== null) throw new Uncomputed(refused.message);
    }
    if (isNewest) dropTask(turn, task);
  }

  async #failed(id: string, error: string): Promise<void> {
    await untilFree(this.#work);
    const turn = this.#session.turn();
    const task = getTask(turn, id);
    if (task === undefined) return;
    const attempts = task.attempts + 1;
    putTask(turn, task, {
      ...task,
      attempts,
      state: 'failed',
      token: '',
      error: error.slice(0, limits.materialize.errorCharsMax),
    });
  }

  #feedOf({ target_entity, target_field }: TaskRecord): Feed | null {
    const models = servedModels(this.#work.activation);
    return models.get(target_entity)?.fed.find(({ column }) => column.name === target_field) ?? null;
  }

  async #nextSlice(): Promise<void> {
    await this.#commit();
    await this.#session.yieldTurn();
    await untilFree(this.#work);
    this.#pace = new Budget(this.#session.clock, READ_SLICE);
  }

  /** Ends the turn, and with it the slice. */
  async #commit(): Promise<void> {
    this.#pace = null;
    if (this.#session.turn().dirty) await commitWhenRoom(this.#work);
    else this.#work.abort();
    this.#work.triggerDepth = 0;
  }
}

function isGivenUp({ state, attempts }: TaskRecord): boolean {
  return state === 'failed' && attempts >= limits.materialize.attemptsMax;
}
