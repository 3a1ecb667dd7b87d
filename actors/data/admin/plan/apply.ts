/**
 * Applies a plan: its steps in order, up to the confirmed risk. Each step is whole or not there, its ledger row in the same commit. After a
 * crash, applying the same plan again resumes the step that was under way.
 *
 *     generated ──▶ applied                       every step is done
 *         │  ├────▶ halted                        the next step is riskier than was confirmed
 *         │  └────▶ failed                        nothing was done: the stored schema has changed, or the first step failed
 *         └───────▶ partial ──▶ applied, halted   some steps are done; a crash leaves this too
 */
import type { Work } from '#actors/host/work.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { adopt, servedAnew } from '../../part.ts';
import { loadSqlParser } from '#actors/engine/sql/load.ts';
import { loadSchema, saveSchema } from '#actors/engine/schema/store.ts';
import { settled } from '#actors/engine/schema/alter.ts';
import type { StoredSchema } from '#actors/engine/schema/stored.ts';
import { clearGarbage } from './clear-garbage.ts';
import { isRiskier, type Risk } from './describe.ts';
import { fingerprintOf, isGenuine, type PlanRecord, type PlanStatus, type StepRecord } from './ledger.ts';
import { commitTurn } from '#actors/host/pace/own-turns.ts';
import { StepFailed, StepRun } from './step-run.ts';
import { takeStep } from './take-step.ts';
import { findPlan, progressOf, putPlan, putStep, stepsOf, type Turn } from './store.ts';
import type { Guard } from '../lock/guard.ts';

export interface ApplyWish {
  readonly confirmed: Risk;
  readonly dryRun: boolean;
}

/** docs/contract/data-admin.md §3.3: the last three only when set. */
export interface Applied {
  readonly plan_id: string;
  readonly status: PlanStatus;
  readonly steps_applied: number;
  readonly steps_failed: number;
  readonly steps_skipped: number;
  readonly failed_step?: number;
  readonly halted_step?: number;
  readonly error?: string;
}

type Extra = Pick<Applied, 'failed_step' | 'halted_step' | 'error'>;

/** A plan and its steps; undefined for an unknown id. */
export function readPlan(work: Work, id: string) {
  const turn = work.activation.store.begin();
  const plan = findPlan(turn, id);
  const steps = plan === undefined ? [] : stepsOf(turn, id);
  work.saw(turn.newest); // no reply shows what a crash could take back
  turn.abort();
  return plan === undefined ? undefined : { plan, steps };
}

/** What applying would do; writes nothing. */
export function dryRun(plan: PlanRecord, steps: readonly StepRecord[], { confirmed }: ApplyWish): Applied {
  const riskier = steps.find((step) => step.Status !== 'applied' && isRiskier(step.Risk, confirmed));
  return {
    plan_id: plan.PlanID,
    status: 'dry_run',
    steps_applied: 0,
    steps_failed: 0,
    steps_skipped: steps.length,
    ...(riskier !== undefined && { halted_step: riskier.StepOrder }),
  };
}

/** Applies the steps that are not done yet. The caller holds the lock that `guard` checks. */
export async function applyPlan(
  work: Work,
  plan: PlanRecord,
  steps: readonly StepRecord[],
  wish: ApplyWish,
  guard: Guard,
): Promise<Applied> {
  await loadSqlParser(); // the checkout may declare actions where the tenant had none
  const run = new PlanRun(work, plan, steps.length, guard);
  const left = steps.filter(({ Status }) => Status !== 'applied');
  run.skipped = steps.length - left.length;
  if (plan.Status === 'applied') {
    // A crash may have followed the last step: the definitions are served and the garbage is cleared now.
    await adopt(work, plan);
    await clearGarbage(work, guard);
    return run.answer('applied', {});
  }
  const error = movedSince(work, plan, steps) ?? (await adopt(work, plan));
  if (error !== null) {
    run.skipped = steps.length;
    return run.end(plan.AppliedCount > 0 ? 'partial' : 'failed', { error });
  }
  if (left.length === 0) return run.end('applied', {});
  await settle(work, left[0]!, guard);
  const ending = await run.takeAll(left, wish.confirmed);
  await clearGarbage(work, guard);
  return run.end(ending.status, ending.extra);
}

/** Why the plan may not be applied: a step is not what was reviewed, or the stored schema has changed since. Null where it may. */
function movedSince({ activation: { store } }: Work, plan: PlanRecord, steps: readonly StepRecord[]): string | null {
  const altered = steps.find((step) => !isGenuine(step));
  if (altered !== undefined) return `step ${altered.StepOrder} does not match its checksum: generate another plan`;
  const turn = store.begin();
  const now = fingerprintOf(loadSchema(turn));
  turn.abort();
  if (now === plan.schema) return null;
  return 'the stored schema has changed since the plan was made: generate another';
}

/** Undoes what the interrupted step of another plan has left, but not that of the step that is resumed now. */
async function settle(work: Work, first: StepRecord, guard: Guard): Promise<void> {
  let changed: StoredSchema | null = null;
  await commitTurn(
    work,
    (turn) => {
      guard(turn);
      const before = loadSchema(turn);
      const after = progressOf(turn, first) === undefined ? settled(before) : before;
      changed = after === before ? null : after;
      if (changed !== null) saveSchema(turn, changed);
    },
    () => {
      if (changed !== null)
        servedAnew(
          work.activation,
          changed,
          changed.entities.map(({ name }) => name),
        );
    },
  );
}

class PlanRun {
  readonly #work: Work;
  readonly #guard: Guard;
  readonly #total: number;
  #plan: PlanRecord;
  skipped = 0;
  #applied = 0;
  #failed = 0;

  constructor(work: Work, plan: PlanRecord, total: number, guard: Guard) {
    this.#work = work;
    this.#plan = plan;
    this.#total = total;
    this.#guard = guard;
  }

  get #now(): string {
    return timestamp(this.#work.activation.context.clock.now());
  }

  /** Takes the steps up to a risk; gives how that ended. */
  async takeAll(
    left: readonly StepRecord[],
    confirmed: Risk,
  ): Promise<{ readonly status: PlanStatus; readonly extra: Extra }> {
    for (const [i, step] of left.entries()) {
      if (isRiskier(step.Risk, confirmed)) {
        this.skipped += left.length - i;
        return { status: 'halted', extra: { halted_step: step.StepOrder } };
      }
      const error = await this.#take(step);
      if (error === null) continue;
      this.skipped += left.length - i - 1;
      const status = this.#plan.AppliedCount > 0 ? 'partial' : 'failed';
      return { status, extra: { failed_step: step.StepOrder, error } };
    }
    return { status: 'applied', extra: {} };
  }

  /** Takes one step; null, or why it could not be taken. */
  async #take(step: StepRecord): Promise<string | null> {
    const begunMs = this.#work.activation.context.clock.now();
    const begun: StepRecord = { ...step, StartedAt: this.#now, Attempt: step.Attempt + 1, Error: '' };
    await this.#commit((turn) => {
      putStep(turn, begun);
      this.#plan = { ...this.#plan, StartedAt: this.#plan.StartedAt ?? begun.StartedAt };
      putPlan(turn, this.#plan);
    });
    const ended = (Status: StepRecord['Status'], Error = ''): StepRecord => ({
      ...begun,
      Status,
      Error,
      FinishedAt: this.#now,
      DurationMs: this.#work.activation.context.clock.now() - begunMs,
    });
    let after = this.#plan;
    const stepRun = new StepRun(this.#work, begun, this.#guard, {
      applied: (turn, schema) => {
        const AppliedCount = this.#plan.AppliedCount + 1;
        const Status = AppliedCount === this.#total ? 'applied' : 'partial';
        after = { ...this.#plan, Status, AppliedCount, schema: fingerprintOf(schema) };
        putStep(turn, ended('applied'));
        putPlan(turn, after);
      },
      failed: (turn, error) => putStep(turn, ended('failed', error)),
    });
    try {
      await takeStep(stepRun, step.change);
    } catch (error) {
      if (!(error instanceof StepFailed)) throw error;
      this.#failed++;
      return error.message;
    }
    this.#plan = after;
    this.#applied++;
    return null;
  }

  /** Writes how the run ended, and gives the answer. */
  async end(status: PlanStatus, extra: Extra): Promise<Applied> {
    await this.#commit((turn) => {
      const { error: Notes = '' } = extra;
      putPlan(turn, { ...this.#plan, Status: status, FinishedAt: this.#now, FailedCount: this.#failed, Notes });
    });
    return this.answer(status, extra);
  }

  answer(status: PlanStatus, more: Extra): Applied {
    return {
      plan_id: this.#plan.PlanID,
      status,
      steps_applied: this.#applied,
      steps_failed: this.#failed,
      steps_skipped: this.skipped,
      ...more,
    };
  }

  #commit(fill: (turn: Turn) => void): Promise<void> {
    return commitTurn(this.#work, (turn) => {
      this.#guard(turn);
      fill(turn);
    });
  }
}
