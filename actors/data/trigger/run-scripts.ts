/** One pass over the events that wait for scripts: one after the other, within the time that the tenant's triggers may spend. */
import { limits } from '#config/limits.ts';
import type { ScriptTarget, TriggerDefinition } from '#config/definitions/trigger-shapes.ts';
import { commitWhenRoom, untilFree } from '#actors/host/pace/own-turns.ts';
import type { Work } from '#actors/host/work.ts';
import { NO_JOBS } from '#actors/kit/jobs.ts';
import { partOf } from '../part.ts';
import type { Allowance } from './allowance.ts';
import type { TriggerOutboxes } from './outboxes.ts';
import { triggerOf } from './part.ts';
import { runTriggerScript, type ScriptRun } from './run-script.ts';
import type { TriggerEntry } from './store.ts';
import { isGone } from './submitted.ts';

type ScriptTrigger = TriggerDefinition & { readonly target: ScriptTarget };

export class ScriptsPass {
  readonly #work: Work;
  readonly #outbox: TriggerOutboxes['script'];
  readonly #allowance: Allowance;

  constructor(work: Work, outbox: TriggerOutboxes['script'], allowance: Allowance) {
    this.#work = work;
    this.#outbox = outbox;
    this.#allowance = allowance;
  }

  /** Runs what is due; milliseconds until more is, null when nothing waits that this node can run. Throws TenantClosed when the host ends. */
  async run(): Promise<number | null> {
    const { standing, exclusive } = this.#work.activation;
    if (partOf(this.#work.activation).languages.jobs === NO_JOBS) return null;
    for (;;) {
      await untilFree(this.#work);
      if (exclusive.wanted) return 0;
      if (standing?.isReadOnly === true) return this.#isEmpty() ? null : limits.triggers.readOnlyMs;
      this.#work.nextTurn();
      const { parcels } = this.#outbox.take(this.#work, { except: [], limit: limits.triggers.takeMax });
      this.#work.abort();
      if (parcels.length === 0) return this.#nextMs();
      for (const entry of parcels) {
        const waitMs = this.#allowance.waitMs(this.#work.now);
        if (waitMs > 0) return waitMs;
        if (exclusive.wanted) return 0;
        if ((await this.#one(entry)) === 'busy') return limits.triggers.lookAgainMs;
      }
    }
  }

  #isEmpty(): boolean {
    const turn = this.#work.nextTurn();
    for (const _entry of this.#outbox.entries(turn)) return false;
    return true;
  }

  /** When the first of the events that failed is due. */
  #nextMs(): number | null {
    let first = Infinity;
    for (const { next_ms: nextMs = 0 } of this.#outbox.entries(this.#work.nextTurn())) first = Math.min(first, nextMs);
    this.#work.abort();
    return first === Infinity ? null : Math.max(0, first - this.#work.now);
  }

  async #one(entry: TriggerEntry): Promise<ScriptRun['kind']> {
    await untilFree(this.#work);
    const trigger = triggerOf(this.#work.activation, entry) as ScriptTrigger | undefined;
    if (trigger === undefined || this.#isGone(entry)) {
      await this.#commit((work) => this.#outbox.drop(work, entry.id));
      return 'done';
    }
    const run = await this.#timed(entry, trigger);
    if (run.kind === 'failed') await this.#failed(entry, run.error);
    return run.kind;
  }

  #isGone(entry: TriggerEntry): boolean {
    const gone = isGone(this.#work.nextTurn(), entry, this.#work.now);
    this.#work.abort();
    return gone;
  }

  async #timed(entry: TriggerEntry, trigger: ScriptTrigger): Promise<ScriptRun> {
    const { clock } = this.#work.activation.context;
    const attempts = (entry.attempts ?? 0) + 1;
    const settled = { id: entry.id, outcome: 'sent', attempts, error: null } as const;
    const began = clock.fine();
    try {
      return await runTriggerScript(this.#work, entry, trigger, (work) => this.#outbox.settle(work, settled));
    } catch (error) {
      return { kind: 'failed', error: `its changes could not be kept: ${(error as Error).message}` };
    } finally {
      this.#allowance.spend(clock.now(), clock.fine() - began);
    }
  }

  /** Waits longer each time, up to the last attempt. */
  async #failed(entry: TriggerEntry, why: string): Promise<void> {
    const { scriptAttemptsMax, scriptBackoffMs, scriptBackoffMsMax, errorCharsMax } = limits.triggers;
    const attempts = (entry.attempts ?? 0) + 1;
    const error = why.slice(0, errorCharsMax);
    const waitMs = Math.min(scriptBackoffMs * 2 ** (attempts - 1), scriptBackoffMsMax);
    await this.#commit((work) => {
      if (attempts >= scriptAttemptsMax)
        this.#outbox.settle(work, { id: entry.id, outcome: 'given_up', attempts, error });
      else this.#outbox.amend(work.turn(), { ...entry, attempts, error, next_ms: work.now + waitMs });
    });
  }

  async #commit(stage: (work: Work) => void): Promise<void> {
    await untilFree(this.#work);
    this.#work.nextTurn();
    stage(this.#work);
    await commitWhenRoom(this.#work);
  }
}
