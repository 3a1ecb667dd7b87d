/** Metrics of the door: answers by service and status class, sheds, and gauges that are read at a scrape. */
import { watchLoopDelay } from './loop-delay.ts';
import { requestCells, statusClass } from './meter.ts';
import type { Meter } from './meter.ts';
import type { SERVICE_LABELS } from './metric-rows.ts';
import { cellOf } from './metric-table.ts';

type ServiceLabel = (typeof SERVICE_LABELS)[number];

export class DoorMeter {
  readonly #meter: Meter;
  readonly #requests = new Map<string, number>();
  readonly #shed = { door: cellOf('shed', 'door'), service: cellOf('shed', 'service') };
  readonly #inFlight = cellOf('inFlight');
  readonly #answersCut = cellOf('answersCut');

  constructor(meter: Meter) {
    this.#meter = meter;
    watchLoopDelay(meter);
  }

  /** Counts one answer; `byDoor` when the request reached no thread. */
  count(service: string, status: number, byDoor: boolean): void {
    let cell = this.#requests.get(service);
    if (cell === undefined) this.#requests.set(service, (cell = requestCells(service as ServiceLabel)));
    this.#meter.add(cell + statusClass(status));
    if (status === 503) this.#meter.add(byDoor ? this.#shed.door : this.#shed.service);
  }

  answerCut(): void {
    this.#meter.add(this.#answersCut);
  }

  inFlight(count: number): void {
    this.#meter.set(this.#inFlight, count);
  }
}
