/**
 * Events of no tenant, on their way to the audit logs of the node (`node/platform`, `node/intake`) and of the vault. Delivery is best effort:
 * their source numbers them when they happen, so an event that found its queue full, or was lost with the process, leaves a gap in the numbers.
 *
 *   record ─▶ number ─▶ queue (bounded) ─▶ sealer, again until it has answered
 *   hand ───▶ sealer, once: the source has numbered its events, and keeps them
 */
import type { Asker } from '#actors/protocol/node-verbs.ts';
import { limits } from '#config/limits.ts';
import type { Log } from '#actors/host/activation.ts';
import { timestamp, type Clock } from '#actors/kit/clock.ts';
import type { AuditEvent, LastWord, NodeBatch, NodeEvent } from '#actors/protocol/audit.ts';
import type { Channel } from '#actors/protocol/channel.ts';

export interface NodeEventsPorts {
  /** Whether the audit service is on; otherwise events are dropped. */
  readonly enabled: boolean;
  readonly clock: Clock;
  readonly log: Log;
  after(ms: number, run: () => void): void;
}

/** Events of one source for one log. */
interface Queue {
  readonly log: string;
  readonly source: string;
  /** Number of the newest record that the log had before this process began; null until the log has said it. */
  base: number | null;
  /** Events since then, those that were dropped included. */
  count: number;
  waiting: { readonly at: number; readonly event: NodeEvent }[];
  passing: boolean;
}

export class NodeEvents {
  readonly #ports: NodeEventsPorts;
  readonly #queues = new Map<string, Queue>();
  #sealer: Channel | null = null;
  #settled: (() => void)[] = [];
  /** Events that found their queue full. */
  dropped = 0;

  constructor(ports: NodeEventsPorts) {
    this.#ports = ports;
  }

  attachSealer(channel: Channel, gone: Promise<unknown>): void {
    this.#sealer = channel;
    void gone.then(() => {
      if (this.#sealer === channel) this.#sealer = null;
    });
    for (const queue of this.#queues.values()) this.#pass(queue);
  }

  /** Records an event of main itself in `node/platform`. `asker`: the caller over HTTP for whom it was done. */
  platform(
    action: string,
    target: string,
    data: NodeEvent['data'],
    outcome = 'ok',
    asker: Asker = { actor: 'internal', request_id: '' },
  ): void {
    const ts = timestamp(this.#ports.clock.now());
    this.record('node/platform', 'platform', { ts, ...asker, action, target, outcome, data });
  }

  /** Queues an event; without an audit service it is dropped. */
  record(log: string, source: string, event: NodeEvent): void {
    if (!this.#ports.enabled) return;
    const place = `${log} ${source}`;
    let queue = this.#queues.get(place);
    if (queue === undefined)
      this.#queues.set(place, (queue = { log, source, base: null, count: 0, waiting: [], passing: false }));
    const at = ++queue.count;
    if (queue.waiting.length < limits.audit.nodeEventsMax) queue.waiting.push({ at, event });
    else this.dropped++;
    this.#pass(queue);
  }

  /**
   * Hands over events that their source has numbered and keeps. True once they are durable, false without an audit service.
   * Rejects when the sealer or the log does not take them now: the source has to hand them over again.
   */
  async hand(batch: NodeBatch): Promise<boolean> {
    if (!this.#ports.enabled) return false;
    await this.#sealerNow().ask('audit.record', batch);
    return true;
  }

  /** The newest number of a source in a log, for a source that begins anew; null without an audit service. */
  async last(log: string, source: string): Promise<number | null> {
    return this.#ports.enabled ? this.#sealerNow().ask('audit.last', { log, source }) : null;
  }

  /** The newest record of a source in a log; null where there is none, and without an audit service. */
  async newest(asked: LastWord): Promise<AuditEvent | null> {
    return this.#ports.enabled ? this.#sealerNow().ask('audit.newest', asked) : null;
  }

  /** Resolves when nothing waits, or after so many milliseconds. */
  settle(ms: number): Promise<void> {
    if (this.#isEmpty) return Promise.resolve();
    return new Promise((resolve) => {
      this.#settled.push(resolve);
      this.#ports.after(ms, resolve);
    });
  }

  get #isEmpty(): boolean {
    return [...this.#queues.values()].every(({ waiting }) => waiting.length === 0);
  }

  #sealerNow(): Channel {
    if (this.#sealer === null) throw new Error('the audit sealer is away');
    return this.#sealer;
  }

  #pass(queue: Queue): void {
    if (queue.passing || queue.waiting.length === 0 || this.#sealer === null) return;
    queue.passing = true;
    void this.#passAll(queue).catch((error: Error) => {
      this.#ports.log.warn(
        { log_id: queue.log, error: error.message },
        'the audit log did not take events: they wait in memory and are handed over again',
      );
      this.#ports.after(limits.audit.retryMs, () => this.#pass(queue));
    });
  }

  async #passAll(queue: Queue): Promise<void> {
    try {
      while (queue.waiting.length > 0) await this.#passSome(queue);
    } finally {
      queue.passing = false;
    }
    if (!this.#isEmpty) return;
    for (const tell of this.#settled.splice(0)) tell();
  }

  async #passSome(queue: Queue): Promise<void> {
    const { log, source } = queue;
    const sealer = this.#sealerNow();
    const base = (queue.base ??= await sealer.ask('audit.last', { log, source }));
    const some = queue.waiting.slice(0, limits.audit.takeEntriesMax);
    const events = some.map(({ at, event }) => ({ ...event, source, source_seq: base + at }));
    await sealer.ask('audit.record', { log, events });
    queue.waiting.splice(0, some.length);
  }
}
