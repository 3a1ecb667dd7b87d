/**
 * The warm spare: a host without shards, which takes a dead one's place. A spare that ends before it is needed affects no caller, so it
 * does not count against the restart budget (a lack of descriptors would end the process); another is started, later each time.
 */
import { limits } from '#config/limits.ts';
import type { Log } from '#actors/host/activation.ts';
import type { Clock } from '#actors/kit/clock.ts';
import type { Channel } from '#actors/protocol/channel.ts';
import type { Degraded } from '#actors/protocol/degraded.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import type { Thread } from './thread.ts';

export interface SparePorts {
  readonly clock: Clock;
  readonly log: Log;
  readonly degraded: Degraded;
  spawn(): Thread;
  /** Called when it starts. */
  tenants(): readonly TenantEntry[];
  /** Called when it has ended by itself. */
  ended(reason: string): void;
}

const NAME = 'spare host';

export class Spare {
  readonly #ports: SparePorts;
  #thread: Thread | null = null;
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
    const { clock, degraded } = this.#ports;
    const thread = this.#ports.spawn();
    this.#thread = thread;
    this.#startedAt = clock.now();
    void thread.gone.then((reason) => this.#gone(thread, reason));
    thread.channel.ask('host.tenants', this.#ports.tenants()).then(
      () => degraded.clear('thread', NAME),
      () => undefined,
    );
  }

  /** Main's end of its channel; undefined while there is none. */
  get channel(): Channel | undefined {
    return this.#thread?.channel;
  }

  /** Gives the spare away, for a host's place; null when there is none. */
  take(): Thread | null {
    const thread = this.#thread;
    this.#thread = null;
    return thread;
  }

  /** Starts no further spare and gives the present one, which the caller has to end. */
  stop(): Thread | null {
    this.#stopped = true;
    return this.take();
  }

  #gone(thread: Thread, reason: string): void {
    if (this.#thread !== thread) return;
    this.#thread = null;
    const { clock, degraded, log } = this.#ports;
    const { spareWaitMs, spareWaitMsMax } = limits.host;
    if (clock.now() - this.#startedAt > spareWaitMsMax) this.#faults = 0;
    const waitMs = this.#faults === 0 ? 0 : Math.min(spareWaitMs * 2 ** (this.#faults - 1), spareWaitMsMax);
    this.#faults++;
    this.#ports.ended(reason);
    log.error({ reason, next_ms: waitMs }, 'the spare host is gone; another is started');
    const [why] = reason.split('\n');
    const meaning = 'a host that dies now is replaced more slowly, by a thread that is started then';
    degraded.report({ scope: 'thread', name: NAME, reason: `it has ended (${why}); ${meaning}`, lasts: 'cleared' });
    if (waitMs === 0) this.warm();
    else setTimeout(() => this.warm(), waitMs).unref();
  }
}
