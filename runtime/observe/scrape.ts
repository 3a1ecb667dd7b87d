/** The text of `/metrics` on the operations listener: the threads' columns added up, and main's own values. */
import type { RateCounts } from '#actors/rates/keeper.ts';
import { expose, numberText, oneSample, type MetricFamily, type Sample } from './exposition.ts';
import type { MetricRow } from './metric-rows.ts';
import { allPlaces, COLUMN_CELLS, labelsOf } from './metric-table.ts';

type Place = ReturnType<typeof allPlaces> extends Iterable<infer P> ? P : never;

/**
 * The families of a scrape. `threads`: their names, by column; `more`: further metrics of main; `off`: services that this node does not serve, whose
 * metrics are left out.
 */
export function scrapeFamilies(
  table: SharedArrayBuffer,
  threads: readonly string[],
  rates: readonly RateCounts[],
  more: readonly MetricFamily[] = [],
  off: ReadonlySet<MetricRow['of']> = new Set(),
): MetricFamily[] {
  return [...tableFamilies(table, threads, off), ...rateFamilies(rates), ...more, ...processFamilies()];
}

/** The same as Prometheus text. */
export function scrapeText(...scraped: Parameters<typeof scrapeFamilies>): string {
  return expose(scrapeFamilies(...scraped));
}

/** Every metric of the table as a family. */
function tableFamilies(
  table: SharedArrayBuffer,
  threads: readonly string[],
  off: ReadonlySet<MetricRow['of']>,
): MetricFamily[] {
  const values = new Float64Array(table);
  const shown = Array.from(allPlaces()).filter(({ row }) => !off.has(row.of));
  return shown.map((place) => {
    const { name, type, help } = place.row;
    const samples: Sample[] = [];
    for (let series = 0; series < place.series; series++)
      samples.push(...seriesSamples(place, series, values, threads));
    return { name, type, help, samples };
  });
}

function seriesSamples(place: Place, series: number, values: Float64Array, threads: readonly string[]): Sample[] {
  const { row, width } = place;
  const labels = labelsOf(place, series);
  const at = place.at + series * width;
  if (row.across === 'thread')
    return threads.map((thread, column) => ({
      labels: { ...labels, thread },
      value: values[column * COLUMN_CELLS + at]!,
    }));
  const merged = new Array<number>(width).fill(0);
  for (let column = 0; column < threads.length; column++)
    for (let i = 0; i < width; i++) merged[i]! += values[column * COLUMN_CELLS + at + i]!;
  return row.bounds === undefined ? [{ labels, value: merged[0]! }] : histogramSamples(labels, row.bounds, merged);
}

/** Buckets are stored separately and shown cumulated; the count is the last bucket, so that both always agree. */
export function histogramSamples(
  labels: Record<string, string>,
  bounds: readonly number[],
  cells: readonly number[],
): Sample[] {
  let count = 0;
  const samples: Sample[] = [...bounds, Infinity].map((bound, i) => {
    count += cells[i]!;
    return { suffix: '_bucket', labels: { ...labels, le: numberText(bound) }, value: count };
  });
  samples.push({ suffix: '_sum', labels, value: cells[bounds.length + 1]! });
  samples.push({ suffix: '_count', labels, value: count });
  return samples;
}

function rateFamilies(rates: readonly RateCounts[]): MetricFamily[] {
  const family = (name: string, type: 'counter' | 'gauge', help: string, pick: (row: RateCounts) => number) => ({
    name,
    type,
    help,
    samples: rates.map((row) => ({ labels: { profile: row.profile }, value: pick(row) })),
  });
  return [
    family('skep_rate_refused_total', 'counter', 'Requests refused by a rate profile.', (row) => row.refused),
    family('skep_rate_overflow_total', 'counter', 'Decisions of the overflow bucket.', (row) => row.overflowed),
    family('skep_rate_entries', 'gauge', 'Callers that have a bucket.', (row) => row.entries),
  ];
}

function processFamilies(): MetricFamily[] {
  const { user, system } = process.cpuUsage();
  return [
    oneSample('process_resident_memory_bytes', 'gauge', 'Resident memory size in bytes.', process.memoryUsage.rss()),
    oneSample('process_cpu_seconds_total', 'counter', 'User and system CPU time in seconds.', (user + system) / 1e6),
    oneSample(
      'process_start_time_seconds',
      'gauge',
      'Start of the process since the epoch.',
      performance.timeOrigin / 1000,
    ),
  ];
}
