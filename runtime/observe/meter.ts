/** One thread's access to the metric table. Cells come from `cellOf`. */
import { STATUS_LABELS, type SERVICE_LABELS } from './metric-labels.ts';
import { METRICS, type MetricKey } from './metric-rows.ts';
import { allPlaces, cellOf, COLUMN_CELLS } from './metric-table.ts';

type HistogramKey = { [K in MetricKey]: (typeof METRICS)[K]['type'] extends 'histogram' ? K : never }[MetricKey];

/** A histogram's series, found once. */
export interface Histogram {
  readonly cell: number;
  readonly bounds: readonly number[];
}

export class Meter {
  readonly #values: Float64Array;

  /** `column`: the number of the thread in the supervisor's list. */
  constructor(table: SharedArrayBuffer, column: number) {
    const bytes = COLUMN_CELLS * Float64Array.BYTES_PER_ELEMENT;
    this.#values = new Float64Array(table, column * bytes, COLUMN_CELLS);
  }

  add(cell: number, by = 1): void {
    this.#values[cell]! += by;
  }

  set(cell: number, value: number): void {
    this.#values[cell] = value;
  }

  observe(histogram: Histogram, value: number): void {
    const { cell, bounds } = histogram;
    this.#values[cell + bucketOf(bounds, value)]! += 1;
    this.#values[cell + bounds.length + 1]! += value;
  }

  /** A new thread starts with gauges at zero, whatever values its predecessor left. */
  resetGauges(): void {
    for (const { row, at, width, series } of allPlaces())
      if (row.type === 'gauge') this.#values.fill(0, at, at + width * series);
  }
}

/** The first bucket whose bound a value does not exceed; the number of bounds for one above all of them. */
export function bucketOf(bounds: readonly number[], value: number): number {
  let bucket = 0;
  while (bucket < bounds.length && value > bounds[bucket]!) bucket++;
  return bucket;
}

export function histogramOf(key: HistogramKey, ...labels: readonly string[]): Histogram {
  return { cell: cellOf(key, ...labels), bounds: METRICS[key].bounds };
}

/** The first of a service's five request cells; add `statusClass(status)`. */
export function requestCells(service: (typeof SERVICE_LABELS)[number]): number {
  return cellOf('requests', service, STATUS_LABELS[0]);
}

/** 0 for 1xx … 4 for 5xx. */
export function statusClass(status: number): number {
  return Math.floor(status / 100) - 1;
}
