/**
 * Main's part of traces: passes the spans of every thread on to the courier, which exports them, and counts what became of them. It reads no
 * span. Where the courier does not keep up, or is being replaced, spans are dropped and counted.
 */
import { limits } from '#config/limits.ts';
import type { Channel } from '#actors/protocol/channel.ts';
import { DROP_CAUSES, type DropCause, type SpanBatch, type TraceReport } from '#actors/protocol/traces.ts';
import type { ThreadName } from '#actors/protocol/topic.ts';
import type { Meter } from './observe/meter.ts';
import { cellOf } from './observe/metric-table.ts';

/** Threads that take requests, whose spans they send. */
const SENDERS: ReadonlySet<ThreadName> = new Set(['tenant-host', 'intake-writer', 'vault-keeper', 'audit-sealer']);

export interface TraceRelayPorts {
  /** Whether requests are traced at all. */
  readonly isOn: boolean;
  readonly meter: Pick<Meter, 'add'>;
  /** Main's end of the channel to the courier; undefined where there is none. */
  courier(): Pick<Channel, 'ask'> | undefined;
}

export class TraceRelay {
  readonly #ports: TraceRelayPorts;
  readonly #dropped = new Map<DropCause, number>(DROP_CAUSES.map((cause) => [cause, cellOf('spansDropped', cause)]));
  readonly #onTheirWay = new Set<Promise<void>>();
  /** Spans that the courier has, and has not reported on: they are lost when it dies. */
  #held = 0;

  constructor(ports: TraceRelayPorts) {
    this.#ports = ports;
  }

  /** Listens to a thread that has started. */
  attach(name: ThreadName, channel: Pick<Channel, 'answer'>, gone: Promise<unknown>): void {
    if (SENDERS.has(name)) {
      channel.answer('node.spans', (batch) => {
        this.take(batch);
        return null;
      });
    }
    if (name !== 'courier') return;
    void gone.then(() => {
      this.#drop('lost', this.#held);
      this.#held = 0;
    });
    channel.answer('courier.exported', (report) => {
      this.#count(report);
      return null;
    });
  }

  /** Passes spans on. */
  take(batch: SpanBatch): void {
    const courier = this.#ports.courier();
    if (courier === undefined || this.#onTheirWay.size >= limits.traces.handedOverMax) {
      this.#drop(courier === undefined ? 'lost' : 'full', batch.count);
      return;
    }
    const handing = courier
      .ask('courier.spans', batch)
      .then(
        () => void (this.#held += batch.count),
        () => this.#drop('lost', batch.count),
      )
      .finally(() => this.#onTheirWay.delete(handing));
    this.#onTheirWay.add(handing);
  }

  /** At a stop: asks the hosts for the spans that they still have, and resolves when the courier has them. Never rejects. */
  async handedOver(hosts: readonly Pick<Channel, 'ask'>[]): Promise<void> {
    if (!this.#ports.isOn) return;
    await Promise.allSettled(hosts.map((host) => host.ask('host.spans', null)));
    await Promise.allSettled(this.#onTheirWay);
  }

  #drop(cause: DropCause, spans: number): void {
    this.#ports.meter.add(this.#dropped.get(cause)!, spans);
  }

  #count({ exported, dropped, failures, own = 0 }: TraceReport): void {
    this.#held += own - exported - Object.values(dropped).reduce((sum, spans) => sum + spans, 0);
    this.#ports.meter.add(cellOf('spansExported'), exported);
    this.#ports.meter.add(cellOf('traceFailures'), failures);
    for (const cause of DROP_CAUSES) this.#drop(cause, dropped[cause] ?? 0);
  }
}
