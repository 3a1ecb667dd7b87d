/**
 * Work of a host that takes longer than an ask may: it is started, runs in slices, and the caller asks for its end. While callers are there it rests behind each slice for some times as long as that took,
 * which leaves them most of the thread and of the core; alone it only lets the loop turn.
 */
import { nextTurn } from '#actors/host/pace/next-turn.ts';
import { systemClock } from '#actors/kit/clock.ts';
import { Budget } from '#actors/kit/pace/budget.ts';
import { limits } from '#config/limits.ts';
import type { Pace } from '#storage/backup/pace.ts';
import type { Step } from './job.ts';

/** Ended by time alone: an entry is what the archive makes of it. */
const SLICE = { sliceReadMsMax: limits.backup.sliceMs, sliceRowsMax: Number.POSITIVE_INFINITY };

export interface LongWorkPorts {
  /** Moves when the thread has had a turn of a caller. */
  readonly turns: () => number;
  /** Monotonic, milliseconds. */
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<void>;
}

interface Running {
  readonly end: Promise<unknown>;
  readonly slices: Slices;
}

export class LongWork {
  readonly #ports: LongWorkPorts;
  readonly #running = new Map<number, Running>();
  #next = 1;
  #stopped = false;

  constructor(ports: LongWorkPorts) {
    this.#ports = ports;
  }

  /** Starts work and gives its number. Throws when too much runs already. */
  begin(run: (pace: Pace) => Promise<unknown>): number {
    if (this.#stopped) throw new Error('the node is stopping');
    if (this.#running.size >= limits.backup.runningMax)
      throw new Error(`${limits.backup.runningMax} copies run here now: try again when one has ended`);
    const id = this.#next++;
    const slices = new Slices(this.#ports);
    const end = run(slices);
    end.catch(() => undefined); // `wait` reports the error
    this.#running.set(id, { end, slices });
    return id;
  }

  /** Waits a while for the end of some work; throws what it threw. */
  async look(id: number): Promise<Step> {
    const running = this.#running.get(id);
    if (running === undefined) throw new Error('the thread that copied has ended: begin again');
    running.slices.seen();
    const timer = Promise.withResolvers<Step>();
    const { slices } = running;
    const timeout = setTimeout(() => timer.resolve({ ended: false, done: slices.done }), limits.backup.stepMs);
    try {
      const ended = running.end.then((report): Step => ({ ended: true, report }));
      const step = await Promise.race([ended, timer.promise]);
      if (step.ended) this.#running.delete(id);
      return step;
    } catch (error) {
      this.#running.delete(id);
      throw error;
    } finally {
      clearTimeout(timeout);
    }
  }

  /** Gives up all work and resolves when none runs any more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const { slices } of this.#running.values()) slices.giveUp('the node is stopping');
    await Promise.allSettled(Array.from(this.#running.values(), ({ end }) => end));
  }
}

class Slices implements Pace {
  readonly #ports: LongWorkPorts;
  readonly #budget = new Budget(systemClock, SLICE);
  #began: number;
  /** As the last slice ended. */
  #turns: number;
  #seen = performance.now();
  #givenUp: string | null = null;
  /** Entries and pieces of files so far. */
  done = 0;

  constructor(ports: LongWorkPorts) {
    this.#ports = ports;
    this.#began = ports.now();
    this.#turns = ports.turns();
  }

  get over(): boolean {
    return this.#budget.look();
  }

  did(entries: number): void {
    this.done += entries;
  }

  async rest(): Promise<void> {
    const { turns, now, pause } = this.#ports;
    const tookMs = now() - this.#began;
    await nextTurn();
    const hasCallers = turns() !== this.#turns;
    this.#turns = turns();
    if (hasCallers) await pause(limits.backup.restTimes * tookMs);
    this.#goOn();
  }

  async wait(ms: number): Promise<void> {
    await this.#ports.pause(ms);
    this.#goOn();
  }

  #goOn(): void {
    this.#budget.next();
    this.#began = this.#ports.now();
    if (performance.now() - this.#seen > limits.backup.abandonedMs)
      this.#givenUp ??= 'the command that waited for it has ended';
    if (this.#givenUp !== null) throw new Error(`the copy was given up: ${this.#givenUp}`);
  }

  seen(): void {
    this.#seen = performance.now();
  }

  giveUp(why: string): void {
    this.#givenUp ??= why;
  }
}
