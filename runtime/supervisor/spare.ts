/**
 * A thread that is started before it is needed, and opens nothing: the warm spare, a host without shards that takes a dead one's place, and the threads of a node that waits for its log. One that ends
 * before it is needed affects no caller, so it does not count against the restart budget (a lack of descriptors would end the process); another is started, later each time.
 */
import { limits } from '#config/limits.ts';
import type { Log } from '#actors/host/activation.ts';
import type { Clock } from '#actors/kit/clock.ts';
import type { Channel } from '#actors/protocol/channel.ts';
import type { Degraded } from '#actors/protocol/degraded.ts';
import type { Thread } from './thread.ts';

/** What one is for. */
export interface SpareUse {
  /** In `degraded[]`. */
  readonly name: string;
  /** What it means that there is none. */
  readonly meaning: string;
}

export const WARM_SPARE: SpareUse = {
  name: 'spare host',
  meaning: 'a host that dies now is replaced more slowly, by a thread that is started then',
};

export interface SparePorts {
  readonly clock: Clock;
  readonly log: Log;
  readonly degraded: Degraded;
  readonly use: SpareUse;
  spawn(): Thread;
  /** Asks it something, or tells it what it needs: it is well when it has answered. */
  greet(thread: Thread): Promise<unknown>;
  /** Called when it has ended by itself. */
  ended(reason: string): void;
}

export class Spare {
  readonly #ports: SparePorts;
  #thread: Thread | null = null;
  #isReady = false;
  #startedAt = 0;
  /** How many spares ended shortly after one another. */
  #faults = 0;
  #stopped = false;

  constructor(ports: SparePorts) {
    this.#ports = ports;
  }

  /** Starts it, unless there is one. */
  warm(): void {
    if (this.#thread !== null || this.#stopped) return;
    const { clock, degraded, use } = this.#ports;
    const thread = this.#ports.spawn();
    this.#thread = thread;
    this.#startedAt = clock.now();
    void thread.gone.then((reason) => this.#gone(thread, reason));
    this.#ports.greet(thread).then(
      () => {
        this.#isReady = this.#thread === thread;
        degraded.clear('thread', use.name);
      },
      () => undefined,
    );
  }

  /** Whether there is one that has loaded its code. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Main's end of its channel; undefined while there is none. */
  get channel(): Channel | undefined {
    return this.#thread?.channel;
  }

  /** Gives the spare away; null when there is none. */
  take(): Thread | null {
    const thread = this.#thread;
    this.#thread = null;
    this.#isReady = false;
    return thread;
  }

  /** Starts no further spare and gives the present one, which is the caller's from then on. */
  stop(): Thread | null {
    this.#stopped = true;
    this.#ports.degraded.clear('thread', this.#ports.use.name);
    return this.take();
  }

  #gone(thread: Thread, reason: string): void {
    if (this.#thread !== thread) return;
    this.take();
    const { clock, degraded, log, use } = this.#ports;
    const { spareWaitMs, spareWaitMsMax } = limits.host;
    if (clock.now() - this.#startedAt > spareWaitMsMax) this.#faults = 0;
    const waitMs = this.#faults === 0 ? 0 : Math.min(spareWaitMs * 2 ** (this.#faults - 1), spareWaitMsMax);
    this.#faults++;
    this.#ports.ended(reason);
    log.error({ reason, next_ms: waitMs }, `the ${use.name} is gone; another is started`);
    const [why] = reason.split('\n');
    const told = `it has ended (${why}); ${use.meaning}`;
    degraded.report({ scope: 'thread', name: use.name, reason: told, lasts: 'cleared' });
    if (waitMs === 0) this.warm();
    else setTimeout(() => this.warm(), waitMs).unref();
  }
}
