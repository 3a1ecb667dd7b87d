/**
 * What the node was like within the last hour, a point each half minute: differences of the shared table of metrics, which is there anyway. Answers cost nothing for it, a point costs some
 * microseconds, and the points of an hour are all that is kept.
 */
import { limits } from '#config/limits.ts';
import { timestamp } from '#actors/kit/clock.ts';
import type { FigurePoint, NodeFigures } from '#actors/protocol/node-view.ts';
import { COLUMN, hostColumn } from './columns.ts';
import { requestCells } from './meter.ts';
import { REQUEST_CLASSES, SERVICE_LABELS, STATUS_LABELS } from './metric-labels.ts';
import { METRICS } from './metric-rows.ts';
import { cellOf, readCell } from './metric-table.ts';
import { quantile, type Buckets } from './read-metrics.ts';

const { figureEveryMs, figurePoints, figureMsMin } = limits.nodeView;
const { bounds } = METRICS.requestSeconds;
const FAILED = STATUS_LABELS.indexOf('5xx');
const GAUGES = { waiting: cellOf('mailboxDepth'), lag: cellOf('lmdbLag'), heap: cellOf('heapBytes') };
const DELAY = cellOf('loopDelay');
/** The first bucket of each histogram of request times. */
const TIMES = SERVICE_LABELS.flatMap((service) =>
  REQUEST_CLASSES.map((kind) => cellOf('requestSeconds', service, kind)),
);
const REQUESTS = SERVICE_LABELS.map(requestCells);

export interface FigurePorts {
  readonly metrics: SharedArrayBuffer;
  readonly hosts: number;
  /** Resident memory of the process, bytes. */
  readonly rssBytes: () => number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds of a clock that never goes back. */
  readonly fine: () => number;
}

/** Counters as they were at one moment. */
interface Counts {
  readonly fine: number;
  readonly requests: number;
  readonly failed: number;
  /** Of each bucket, the one above all bounds last; not cumulated. */
  readonly times: readonly number[];
}

export class RecentFigures {
  readonly #ports: FigurePorts;
  readonly #points: FigurePoint[] = [];
  #before: Counts;
  #timer: NodeJS.Timeout | undefined;

  constructor(ports: FigurePorts) {
    this.#ports = ports;
    this.#before = this.#counts();
  }

  start(): void {
    this.#before = this.#counts();
    this.#timer = setInterval(() => this.look(), figureEveryMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Ends a point. */
  look(): void {
    const counts = this.#counts();
    this.#points.push(this.#point(counts));
    if (this.#points.length > figurePoints) this.#points.shift();
    this.#before = counts;
  }

  /** Oldest first; the last one is the point that has just begun, unless it is too short to say anything. */
  list(): NodeFigures {
    const counts = this.#counts();
    const isLong = counts.fine - this.#before.fine >= figureMsMin;
    const points = isLong ? [...this.#points, this.#point(counts)] : [...this.#points];
    return { every_seconds: figureEveryMs / 1000, points: points.slice(-figurePoints) };
  }

  #point(counts: Counts): FigurePoint {
    const { rssBytes, now } = this.#ports;
    const before = this.#before;
    const seconds = Math.max(counts.fine - before.fine, 1) / 1000;
    const times = cumulated(counts.times.map((count, i) => count - before.times[i]!));
    return {
      at: timestamp(now()),
      requests_per_second: rounded((counts.requests - before.requests) / seconds),
      failed_per_second: rounded((counts.failed - before.failed) / seconds),
      p50_ms: shareMs(0.5, times),
      p99_ms: shareMs(0.99, times),
      waiting: this.#sum(GAUGES.waiting),
      lag_records: this.#sum(GAUGES.lag),
      loop_delay_ms: rounded(Math.max(...this.#columns().map((column) => this.#read(column, DELAY))) * 1000),
      heap_bytes: this.#sum(GAUGES.heap),
      rss_bytes: rssBytes(),
    };
  }

  #counts(): Counts {
    const of = (cell: number): number => this.#read(COLUMN.main, cell);
    const requests = REQUESTS.map((cell) => STATUS_LABELS.map((_, i) => of(cell + i)));
    return {
      fine: this.#ports.fine(),
      requests: sumOf(requests.flat()),
      failed: sumOf(requests.map((statuses) => statuses[FAILED]!)),
      times: Array.from({ length: bounds.length + 1 }, (_, i) => sumOf(TIMES.map((cell) => of(cell + i)))),
    };
  }

  #columns(): number[] {
    return [COLUMN.main, ...Array.from({ length: this.#ports.hosts }, (_, no) => hostColumn(no))];
  }

  #sum(cell: number): number {
    return sumOf(this.#columns().map((column) => this.#read(column, cell)));
  }

  #read(column: number, cell: number): number {
    return readCell(this.#ports.metrics, column, cell);
  }
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
const rounded = (value: number): number => Math.round(value * 100) / 100;

function cumulated(counts: readonly number[]): Buckets {
  let sum = 0;
  return counts.map((count, i) => [bounds[i] ?? Infinity, (sum += count)]);
}

/** Null where nothing was answered. */
function shareMs(share: number, times: Buckets): number | null {
  const seconds = quantile(share, times);
  return Number.isNaN(seconds) ? null : rounded(seconds * 1000);
}
