/**
 * Drains a tenant's tasks: soon after a commit that entered some, and whenever a request asks. One pass at a time.
 * Without a runner (`runner: false` of the datastore) only requests drain.
 */
import { limits } from '#config/limits.ts';
import type { Activation } from '#actors/host/activation.ts';
import { Part } from '#actors/host/part.ts';
import { TenantClosed } from '#actors/host/exclusive.ts';
import { Work } from '#actors/host/work.ts';
import { Serial } from '#actors/kit/serial.ts';

/** Which tasks a pass takes up: those that failed too often are left to `all`. */
export type Wanted = 'all' | 'hopeful';
/** Called with true when a value is computed over a snapshot, and with false when that has ended. */
export type UnderWay = (running: boolean) => void;
/** Does the tasks that are there; gives how many it began. */
export type Pass = (work: Work, wanted: Wanted, underWay: UnderWay) => Promise<number>;

export type RunnerState = 'idle' | 'waiting' | 'draining';

/** Calls `run` after some milliseconds. */
export type Later = (ms: number, run: () => void) => void;

const later: Later = (ms, run) => void setTimeout(run, ms).unref();

export class Runner {
  readonly #activation: Activation;
  readonly #pass: Pass;
  readonly #later: Later;
  /** Whether it drains without being asked. */
  readonly active: boolean;
  #state: RunnerState = 'idle';
  /** Whether `kick` was called during a pass, which may have missed the new tasks. */
  #asked = false;
  readonly #passes = new Serial();
  /** Tasks computed over a snapshot now. */
  running = 0;
  lastDrainMs: number | null = null;
  drained = 0;

  constructor(activation: Activation, active: boolean, pass: Pass, wait: Later = later) {
    this.#activation = activation;
    this.#pass = pass;
    this.#later = wait;
    this.active = active;
    activation.exclusive.onClose(() => this.#restEnds());
  }

  get state(): RunnerState {
    return this.#state;
  }

  /** Says that there may be tasks: one pass begins soon, however often this is called. */
  kick(afterMs: number = limits.materialize.restMs): void {
    if (!this.active || this.#activation.exclusive.closed) return;
    if (this.#state === 'draining') this.#asked = true;
    if (this.#state !== 'idle') return;
    this.#state = 'waiting';
    this.#activation.exclusive.enter();
    this.#later(afterMs, () => void this.#run());
  }

  /** One pass, after those that were asked for before; gives how many tasks it began. */
  drain(work: Work, wanted: Wanted): Promise<number> {
    return this.#passes.run(async () => {
      const dispatched = await this.#pass(work, wanted, (running) => void (this.running = Number(running)));
      this.lastDrainMs = this.#activation.context.clock.now();
      this.drained += dispatched;
      return dispatched;
    });
  }

  /** A runner that waits between two passes ends at once when the host ends. */
  #restEnds(): void {
    if (this.#state !== 'waiting') return;
    this.#state = 'idle';
    this.#activation.exclusive.leave();
  }

  async #run(): Promise<void> {
    if (this.#state !== 'waiting') return;
    this.#state = 'draining';
    this.#asked = false;
    const work = new Work(this.#activation);
    let again: number | null = null;
    try {
      const dispatched = await this.drain(work, 'hopeful');
      // Computed values may feed other fields, and callers go on writing: passes follow until one finds nothing.
      if (dispatched > 0 || this.#asked) again = limits.materialize.restMs;
    } catch (error) {
      again = limits.materialize.lookAgainMs;
      if (!(error instanceof TenantClosed))
        this.#activation.context.log.warn(
          { err: error, tenant: this.#activation.position.key },
          'materialized fields stay old: a pass failed, and is tried again',
        );
    } finally {
      work.abort();
      this.#state = 'idle';
    }
    const { exclusive } = this.#activation;
    // The next activation's runner finds what is left.
    if (again !== null && !exclusive.wanted) this.kick(again);
    exclusive.leave();
  }
}

const RUNNER = new Part<Runner>('runner of derived fields');

export function setRunner(activation: Activation, runner: Runner): void {
  RUNNER.set(activation, runner);
  activation.deriveSoon = () => runner.kick();
}

export function runnerOf(activation: Activation): Runner {
  return RUNNER.of(activation);
}
