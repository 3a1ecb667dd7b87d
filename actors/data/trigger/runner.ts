/**
 * Runs the scripts of a tenant's triggers, one pass at a time: soon after a commit that left events for them, and again when an event that
 * failed is due. While it waits it looks from time to time whether the tenant is to sleep or to move: it leaves then, and says so, since only another
 * activation can go on.
 *
 *   idle ─▶ waiting ─▶ running ─▶ idle, or waiting for the next event that is due
 */
import { limits } from '#config/limits.ts';
import type { Activation } from '#actors/host/activation.ts';
import { TenantClosed } from '#actors/host/exclusive.ts';
import { Work } from '#actors/host/work.ts';

/** Runs what is due; milliseconds until more is, null when nothing waits. */
export type ScriptPass = (work: Work) => Promise<number | null>;

/** Calls `run` after some milliseconds. */
export type Later = (ms: number, run: () => void) => void;

const later: Later = (ms, run) => void setTimeout(run, ms).unref();

export class ScriptRunner {
  readonly #activation: Activation;
  readonly #pass: ScriptPass;
  readonly #later: Later;
  readonly #left: () => void;
  #state: 'idle' | 'waiting' | 'running' = 'idle';
  /** By the clock's `fine`. */
  #dueMs = Infinity;
  /** Whether `kick` was called during a pass, which may have missed the new events. */
  #asked = false;
  /** A timer that was set before another one does nothing. */
  #timer = 0;

  /** `left` is called when something is left that this activation does not do any more. */
  constructor(activation: Activation, pass: ScriptPass, left: () => void = () => undefined, wait: Later = later) {
    this.#activation = activation;
    this.#pass = pass;
    this.#later = wait;
    this.#left = left;
    activation.exclusive.onClose(() => this.#waitEnds());
  }

  /** Says that there may be something to do in so many milliseconds. */
  kick(afterMs: number = limits.triggers.restMs): void {
    const { exclusive, context } = this.#activation;
    if (exclusive.closed) return;
    if (this.#state === 'running') {
      this.#asked = true;
      return;
    }
    const dueMs = context.clock.fine() + afterMs;
    if (this.#state === 'waiting' && this.#dueMs <= dueMs) return;
    if (this.#state === 'idle') exclusive.enter();
    this.#state = 'waiting';
    this.#dueMs = dueMs;
    this.#tick();
  }

  #tick(): void {
    const timer = ++this.#timer;
    const leftMs = Math.max(0, this.#dueMs - this.#activation.context.clock.fine());
    this.#later(Math.min(leftMs, limits.triggers.waitTickMs), () => {
      if (timer === this.#timer) this.#look();
    });
  }

  #look(): void {
    if (this.#state !== 'waiting') return;
    const { exclusive, context } = this.#activation;
    if (exclusive.wanted) this.#waitEnds();
    else if (context.clock.fine() < this.#dueMs) this.#tick();
    else void this.#run();
  }

  #waitEnds(): void {
    if (this.#state !== 'waiting') return;
    this.#state = 'idle';
    this.#activation.exclusive.leave();
    this.#left();
  }

  async #run(): Promise<void> {
    this.#state = 'running';
    this.#asked = false;
    const work = new Work(this.#activation);
    let again: number | null = null;
    try {
      again = await this.#pass(work);
    } catch (error) {
      again = limits.triggers.lookAgainMs;
      if (!(error instanceof TenantClosed)) this.#warn(error);
    } finally {
      work.abort();
      this.#state = 'idle';
    }
    const { exclusive } = this.#activation;
    const next = this.#asked ? limits.triggers.restMs : again;
    if (next !== null && !exclusive.wanted) this.kick(next);
    else if (next !== null) this.#left();
    exclusive.leave();
  }

  #warn(error: unknown): void {
    const { context, position } = this.#activation;
    context.log.warn(
      { err: error, service: 'data', tenant: position.key },
      'scripts of triggers could not be run: their events wait, and it is tried again',
    );
  }
}
