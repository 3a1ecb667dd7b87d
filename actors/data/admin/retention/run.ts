/**
 * One pass of retention (docs/contract/data-admin.md §5): for each phase and entity it walks the rows that are old enough and changes them one
 * by one, in commits of at most `batchRows` rows and slices of a bounded time, while the tenant serves on. Each commit is of whole rows: a pass
 * that ends early leaves no row half done, and the next finds the rest.
 */
import { limits } from '#config/limits.ts';
import type { Work } from '#actors/host/work.ts';
import { INTERNAL } from '#actors/protocol/principal.ts';
import { commitWhenRoom, rest, roomFor, untilFree } from '#actors/host/pace/own-turns.ts';
import { prewarmed } from '../../prewarm.ts';
import { Budget, type SliceBound } from '#actors/kit/pace/budget.ts';
import type { Slots } from '#actors/engine/rows/codec.ts';
import { isFailure } from '#actors/engine/rows/failure.ts';
import { filterOf, type Admits } from '#actors/engine/rows/filter.ts';
import type { EntityModel } from '#actors/engine/rows/model.ts';
import { query, type Query } from '#actors/engine/rows/query.ts';
import type { Session } from '#actors/engine/rows/session.ts';
import { takeSteps, type StepBounds } from '#actors/kit/pace/steps.ts';
import { getSlots } from '#actors/engine/rows/store.ts';
import { walkRows, type Batches } from '#actors/engine/rows/walk.ts';
import { servedModels } from '../../part.ts';
import { sessionAs } from '../../rest/session.ts';
import type { Guard } from '../lock/guard.ts';
import { actOn, isOpen } from './act.ts';
import { dueFor, tableOf, type Phase, type Policy } from './policy.ts';

export interface RetentionWish {
  readonly policies: readonly Policy[];
  readonly phases: readonly Phase[];
  readonly batchRows: number;
  readonly passRows: number;
  readonly graceMs: number;
}

export interface Counters {
  readonly Entity: string;
  Anonymized: number;
  Archived: number;
  ArchiveDeleted: number;
  Purged: number;
  FKBlocked: number;
  Errors: number;
}

const COUNTER: Readonly<Record<Phase, 'Anonymized' | 'Archived' | 'ArchiveDeleted' | 'Purged'>> = {
  anonymize: 'Anonymized',
  archive: 'Archived',
  archive_delete: 'ArchiveDeleted',
  purge: 'Purged',
};

/** Map entity → phase → rows. */
export type Eligible = Record<string, Partial<Record<Phase, number>>>;

/** Bounds for one row with the rows that depend on it. */
const STEPS: StepBounds = {
  turnStepsMax: limits.retention.turnStepsMax,
  sliceStepsMax: limits.retention.sliceRowsMax,
  sliceMsMax: limits.retention.sliceReadMsMax,
};

export class RetentionRun {
  readonly #work: Work;
  readonly #wish: RetentionWish;
  readonly #guard: Guard;
  readonly #session: Session;
  readonly #nowMs: number;
  /** A slice has at most the rows of a commit. */
  readonly #bound: SliceBound;
  /** Rows of this commit, whether this slice has committed any, and what is left of the slice; null between slices. */
  #staged = 0;
  #wrote = false;
  #slice: Budget | null = null;
  #ended: (() => void) | undefined;

  /** `guard` is called before each commit; a run that only counts needs none. */
  constructor(work: Work, wish: RetentionWish, guard: Guard = () => undefined) {
    this.#work = work;
    this.#wish = wish;
    this.#guard = guard;
    const { batchRows } = wish;
    const { sliceRowsMax } = limits.retention;
    this.#bound = { ...limits.retention, sliceRowsMax: Math.min(batchRows, sliceRowsMax) };
    this.#session = sessionAs(work, INTERNAL, servedModels(work.activation));
    this.#nowMs = this.#session.clock.now();
  }

  /** Does what is due; counters per entity. Throws LockLost and StorageFull: what was committed stays. */
  async apply(): Promise<Counters[]> {
    const counters = new Map(this.#wish.policies.map((policy) => [policy, countersOf(policy)]));
    const tables = this.#wish.policies.map(({ model }) => model.table);
    await prewarmed(this.#work, tables, async () => {
      for (const phase of this.#wish.phases)
        for (const [policy, counts] of counters) await this.#pass(policy, phase, counts);
    });
    return [...counters.values()];
  }

  /** Counts what is due, and writes nothing. */
  async count(): Promise<Eligible> {
    const eligible: Eligible = {};
    for (const policy of this.#wish.policies) {
      const phases: Partial<Record<Phase, number>> = {};
      for (const phase of this.#wish.phases) {
        if (tableOf(policy, phase) === null) continue;
        phases[phase] = await this.#count(policy, phase);
      }
      eligible[policy.model.name] = phases;
    }
    return eligible;
  }

  async #count(policy: Policy, phase: Phase): Promise<number> {
    let count = 0;
    for await (const rows of await this.#due(policy, phase)) {
      for (const { slots } of rows) {
        await this.#goOn();
        if (isOpen(this.#session.turn(), policy, phase, slots)) count++;
        this.#slice?.count();
      }
      await this.#next();
    }
    return count;
  }

  async #pass(policy: Policy, phase: Phase, counts: Counters): Promise<void> {
    const table = tableOf(policy, phase);
    if (table === null) return;
    const admits = filterOf(table, this.#query(policy, phase, table));
    let left = this.#wish.passRows;
    for await (const rows of await this.#due(policy, phase)) {
      for (const row of rows) {
        if (left === 0 || this.#isOver()) break;
        await this.#goOn();
        const slots = this.#again(policy, phase, table, row.slots, admits);
        if (slots !== null) await this.#act(policy, phase, table, slots, counts);
        if (slots !== null) left--;
        this.#slice?.count();
      }
      await this.#next();
      if (left === 0 || this.#isOver()) return;
    }
  }

  /** Rows that are old enough, in the walk's batches; the phase may be done with some. */
  async #due(policy: Policy, phase: Phase): Promise<Batches> {
    const table = tableOf(policy, phase)!;
    const request = { method: 'POST', operation: 'read', entity: table.name, id: null, data: null };
    const batches = await walkRows(this.#session, table, request, this.#query(policy, phase, table), limits.retention);
    if (isFailure(batches)) throw new Error(batches.message);
    return batches;
  }

  #query(policy: Policy, phase: Phase, { name }: EntityModel): Query {
    return query(name, { where: [dueFor(policy, phase, this.#nowMs, this.#wish.graceMs)], deleted: true });
  }

  /** The row as it is in the turn that will change it; null when it is not due any more. */
  #again(policy: Policy, phase: Phase, table: EntityModel, seen: Slots, admits: Admits): Slots | null {
    const turn = this.#session.turn();
    const slots = getSlots(turn, table, table.idIn(seen));
    return slots !== undefined && admits(slots) && isOpen(turn, policy, phase, slots) ? slots : null;
  }

  async #act(policy: Policy, phase: Phase, table: EntityModel, slots: Slots, counts: Counters): Promise<void> {
    // A delete that a reference refuses is half staged by then, and a long one holds the tenant: such rows have a commit of their own.
    const deletes = phase === 'archive_delete' || phase === 'purge';
    const alone = (deletes && table.referencedBy.length > 0) || (phase !== 'archive' && table.versioned);
    if (alone) await this.#commit();
    const taken = takeSteps(this.#session, actOn(this.#session, policy, phase, table.idIn(slots), slots), STEPS);
    if (taken instanceof Promise) this.#endSlice(); // its dependent rows are many, and go in slices of their own
    const failed = await taken;
    if (failed === null) {
      this.#staged++;
      counts[COUNTER[phase]]++;
      if (alone) await this.#commit();
      return;
    }
    if (alone) this.#work.abort();
    if (failed.details?.['entity'] === undefined) counts.Errors++;
    else counts.FKBlocked++;
  }

  /** Begins a slice where the current one is used up. */
  async #goOn(): Promise<void> {
    if (this.#slice?.look() === false) return;
    await this.#next();
    await untilFree(this.#work);
    this.#ended = this.#work.activation.context.beginSlice?.();
    this.#slice = new Budget(this.#session.clock, this.#bound);
  }

  /** Commits what is staged and ends the slice; rests after one that wrote. */
  async #next(): Promise<void> {
    await this.#commit();
    this.#endSlice();
    if (!this.#wrote) return;
    this.#wrote = false;
    await rest();
    await roomFor(this.#work, limits.retention.pressureMax);
  }

  #endSlice(): void {
    this.#slice = null;
    this.#ended?.();
    this.#ended = undefined;
  }

  /** Ends the turn, also where it staged nothing: its view is stale once other turns have written. */
  async #commit(): Promise<void> {
    if (this.#staged === 0) {
      this.#work.abort();
      return;
    }
    this.#guard(this.#session.turn());
    this.#staged = 0;
    this.#wrote = true;
    await commitWhenRoom(this.#work);
  }

  #isOver(): boolean {
    return this.#session.clock.now() - this.#nowMs > limits.retention.runMsMax;
  }
}

function countersOf({ model }: Policy): Counters {
  return { Entity: model.name, Anonymized: 0, Archived: 0, ArchiveDeleted: 0, Purged: 0, FKBlocked: 0, Errors: 0 };
}
