/**
 * The metrics of all threads in one piece of shared memory: a column of 64-bit floats per thread, which that thread alone
 * writes. Counting is one addition, without atomics or messages; main adds the columns up when it is scraped, also those
 * of a thread that is busy or dead. A restarted thread goes on in its predecessor's column, so counters never step back.
 */
import { METRICS, type MetricKey, type MetricRow } from './metric-rows.ts';

interface Place {
  readonly row: MetricRow;
  readonly at: number;
  /** Cells of one series: 1, or one per bucket, the one above all bounds, and the sum. */
  readonly width: number;
  /** Combinations of label values. */
  readonly series: number;
}

/** Columns begin on a cache line of their own. */
const LINE_CELLS = 8;

const { places, cells } = layOut();
export const COLUMN_CELLS = Math.ceil(cells / LINE_CELLS) * LINE_CELLS;

function layOut(): { places: ReadonlyMap<MetricKey, Place>; cells: number } {
  const places = new Map<MetricKey, Place>();
  let at = 0;
  for (const [key, row] of Object.entries(METRICS) as [MetricKey, MetricRow][]) {
    const width = row.bounds === undefined ? 1 : row.bounds.length + 2;
    const series = Object.values(row.labels).reduce((product, values) => product * values.length, 1);
    places.set(key, { row, at, width, series });
    at += width * series;
  }
  return { places, cells: at };
}

/** Makes the table for so many threads; all values are zero. */
export function createMetricTable(threads: number): SharedArrayBuffer {
  return new SharedArrayBuffer(threads * COLUMN_CELLS * Float64Array.BYTES_PER_ELEMENT);
}

function placeOf(key: MetricKey): Place {
  return places.get(key)!;
}

export function allPlaces(): Iterable<Place> {
  return places.values();
}

/** The cell of one series within a column: find it once, count with it often. Throws on a label value that the row does not list. */
export function cellOf(key: MetricKey, ...labels: readonly string[]): number {
  const { row, at, width } = placeOf(key);
  const lists = Object.entries(row.labels);
  if (labels.length !== lists.length) throw new Error(`metric ${key}: ${lists.length} labels expected`);
  let series = 0;
  for (const [i, [name, values]] of lists.entries()) {
    const index = values.indexOf(labels[i]!);
    if (index < 0) throw new Error(`metric ${key}: ${labels[i]} is no value of ${name}`);
    series = series * values.length + index;
  }
  return at + series * width;
}

/** One cell of a thread's column, as it is now. */
export function readCell(table: SharedArrayBuffer, column: number, cell: number): number {
  return new Float64Array(table)[column * COLUMN_CELLS + cell]!;
}

/** The label values of a series, in the order of the row's labels. */
export function labelsOf({ row }: Place, series: number): Record<string, string> {
  let rest = series;
  const pairs = Object.entries(row.labels)
    .toReversed()
    .map(([name, values]) => {
      const value = values[rest % values.length]!;
      rest = Math.floor(rest / values.length);
      return [name, value] as const;
    });
  return Object.fromEntries(pairs.toReversed());
}
