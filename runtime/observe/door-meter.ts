/** Metrics of the door: answers by service and status class, how long they took, sheds, and gauges that are read at a scrape. */
import { watchLoopDelay } from './loop-delay.ts';
import { histogramOf, requestCells, statusClass } from './meter.ts';
import type { Histogram, Meter } from './meter.ts';
import { LOGIN_RESULTS } from './metric-labels.ts';
import type { SERVICE_LABELS } from './metric-labels.ts';
import { cellOf } from './metric-table.ts';

type ServiceLabel = (typeof SERVICE_LABELS)[number];

/** Where the answers of one service are counted. */
interface ServiceCells {
  readonly requests: number;
  readonly read: Histogram;
  readonly write: Histogram;
}

const cellsOf = (service: ServiceLabel): ServiceCells => ({
  requests: requestCells(service),
  read: histogramOf('requestSeconds', service, 'read'),
  write: histogramOf('requestSeconds', service, 'write'),
});

function loginResult(status: number): (typeof LOGIN_RESULTS)[number] {
  if (status < 300) return 'ok';
  if (status === 401 || status === 403) return 'refused';
  return status === 429 ? 'limited' : 'failed';
}

export class DoorMeter {
  readonly #meter: Meter;
  readonly #services = new Map<string, ServiceCells>();
  readonly #shed = { door: cellOf('shed', 'door'), service: cellOf('shed', 'service') };
  readonly #logins = cellOf('logins', LOGIN_RESULTS[0]);
  readonly #inFlight = cellOf('inFlight');
  readonly #answersCut = cellOf('answersCut');

  constructor(meter: Meter) {
    this.#meter = meter;
    watchLoopDelay(meter);
  }

  /** Counts one answer and its time; `reads`: of a GET or HEAD; `byDoor` when the request reached no thread. */
  count(service: string, status: number, reads: boolean, seconds: number, byDoor: boolean): void {
    let cells = this.#services.get(service);
    if (cells === undefined) this.#services.set(service, (cells = cellsOf(service as ServiceLabel)));
    this.#meter.add(cells.requests + statusClass(status));
    this.#meter.observe(reads ? cells.read : cells.write, seconds);
    if (status === 503) this.#meter.add(byDoor ? this.#shed.door : this.#shed.service);
  }

  /** Counts the answer of a login. */
  login(status: number): void {
    this.#meter.add(this.#logins + LOGIN_RESULTS.indexOf(loginResult(status)));
  }

  answerCut(): void {
    this.#meter.add(this.#answersCut);
  }

  inFlight(count: number): void {
    this.#meter.set(this.#inFlight, count);
  }
}
