/** Metrics of the door: answers by service and status class, how long they took, sheds, and gauges that are read at a scrape. */
import { LIVE_ENDS, LIVE_PROTOCOLS, type LiveFigures } from '#runtime/door/live/live-figures.ts';
import { watchHeap } from './heap-size.ts';
import { watchLoopDelay } from './loop-delay.ts';
import { histogramOf, requestCells, statusClass, type Histogram, type Meter } from './meter.ts';
import { LOGIN_RESULTS, type SERVICE_LABELS } from './metric-labels.ts';
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
  readonly #liveUnsent = cellOf('liveUnsent');
  readonly #liveOpen = LIVE_PROTOCOLS.map((protocol) => [protocol, cellOf('liveConnections', protocol)] as const);
  readonly #liveClosed = LIVE_ENDS.map((why) => [why, cellOf('liveClosed', why)] as const);
  readonly #watches: readonly (() => void)[];

  constructor(meter: Meter) {
    this.#meter = meter;
    this.#watches = [watchLoopDelay(meter), watchHeap(meter)];
  }

  /** Looks no more at its thread, which may open other doors. */
  stop(): void {
    for (const stop of this.#watches) stop();
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

  /** What the WebSockets of all doors are now. */
  live({ open, closed, unsentBytes }: LiveFigures): void {
    this.#meter.set(this.#liveUnsent, unsentBytes);
    for (const [protocol, cell] of this.#liveOpen) this.#meter.set(cell, open[protocol]);
    for (const [why, cell] of this.#liveClosed) this.#meter.set(cell, closed.get(why) ?? 0);
  }

  inFlight(count: number): void {
    this.#meter.set(this.#inFlight, count);
  }
}
