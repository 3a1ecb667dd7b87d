/**
 * Main's part of traces: passes the spans of every thread on to the courier, which exports them, and counts what became of them. It reads no
 * span. Where the courier does not keep up, or is being replaced, spans are dropped and counted.
 */
import { limits } from '#config/limits.ts';
import type { Channel } from '#actors/protocol/channel.ts';
import { DROP_CAUSES } from '#actors/protocol/traces.ts';
import type { DropCause, SpanBatch, TraceReport } from '#actors/protocol/traces.ts';
import type { ThreadName } from '#actors/protocol/topic.ts';
import type { Meter } from './observe/meter.ts';
import { cellOf } from './observe/metric-table.ts';

/** Threads that take requests, whose spans they send. */
const SENDERS: ReadonlySet<ThreadName> = new Set(['tenant-host', 'intake-writer', 'vault-keeper', 'audit-sealer']);

export interface TraceRelayPorts {
  readonly meter: Pick<Meter, 'add'>;
  /** Main's end of the channel to the courier; undefined where there is none. */
  courier(): Pick<Channel, 'ask'> | undefined;
}

export class TraceRelay {
  readonly #ports: TraceRelayPorts;
  readonly #dropped = new Map<DropCause, number>(DROP_CAUSES.map((cause) => [cause, cellOf('spansDropped', cause)]));
  #handedOver = 0;

  constructor(ports: TraceRelayPorts) {
    this.#ports = ports;
  }

  /** Listens to a thread that has started. */
  attach(name: ThreadName, channel: Pick<Channel, 'answer'>): void {
    if (SENDERS.has(name)) {
      channel.answer('node.spans', (batch) => {
        this.take(batch);
        return null;
      });
    }
    if (name !== 'courier') return;
    channel.answer('courier.exported', (report) => {
      this.#count(report);
      return null;
    });
  }

  /** Passes spans on. */
  take(batch: SpanBatch): void {
    const courier = this.#ports.courier();
    if (courier === undefined || this.#handedOver >= limits.traces.handedOverMax) {
      this.#drop(courier === undefined ? 'lost' : 'full', batch.count);
      return;
    }
    this.#handedOver++;
    courier
      .ask('courier.spans', batch)
      .catch(() => this.#drop('lost', batch.count))
      .finally(() => this.#handedOver--);
  }

  #drop(cause: DropCause, spans: number): void {
    this.#ports.meter.add(this.#dropped.get(cause)!, spans);
  }

  #count({ exported, dropped, failures }: TraceReport): void {
    this.#ports.meter.add(cellOf('spansExported'), exported);
    this.#ports.meter.add(cellOf('traceFailures'), failures);
    for (const cause of DROP_CAUSES) this.#drop(cause, dropped[cause] ?? 0);
  }
}
