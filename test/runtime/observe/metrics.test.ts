import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { histogramOf, Meter, requestCells, statusClass } from '#runtime/observe/meter.ts';
import { METRICS, type MetricKey, type MetricRow } from '#runtime/observe/metric-rows.ts';
import { cellOf, createMetricTable } from '#runtime/observe/metric-table.ts';
import { scrapeText } from '#runtime/observe/scrape.ts';

const THREADS = ['main', 'host-0', 'host-1'];

function node() {
  const table = createMetricTable(THREADS.length);
  return { table, meters: THREADS.map((_, column) => new Meter(table, column)) };
}

const scrape = (table: SharedArrayBuffer) => scrapeText(table, THREADS, []).split('\n');

test('counters of all threads are added up', () => {
  const { table, meters } = node();
  for (const meter of meters) meter.add(requestCells('data') + statusClass(404), 2);
  meters[0]!.add(cellOf('requests', 'operations', '2xx'));
  const lines = scrape(table);
  expect(lines).toContain('skep_requests_total{service="data",status="4xx"} 6');
  expect(lines).toContain('skep_requests_total{service="operations",status="2xx"} 1');
  expect(lines).toContain('skep_requests_total{service="data",status="2xx"} 0');
});

test('gauges stand under their thread, and a restarted thread starts them at zero and keeps its counters', () => {
  const { table, meters } = node();
  meters[1]!.set(cellOf('mailboxDepth'), 7);
  meters[1]!.add(cellOf('journalSyncs'), 3);
  meters[0]!.set(cellOf('inFlight'), 5);
  expect(scrape(table)).toContain('skep_mailbox_depth{thread="host-0"} 7');
  new Meter(table, 1).resetGauges();
  const lines = scrape(table);
  expect(lines).toContain('skep_mailbox_depth{thread="host-0"} 0');
  expect(lines).toContain('skep_journal_syncs_total 3');
  expect(lines).toContain('skep_requests_in_flight 5');
});

test('a histogram is cumulative, counts a bound into its bucket, and its count is its last bucket', () => {
  const { table, meters } = node();
  const turns = histogramOf('turnSeconds', 'data');
  for (const value of [0.00005, 0.0001, 0.003, 99]) meters[1]!.observe(turns, value);
  meters[2]!.observe(turns, 0.003);
  const lines = scrape(table).filter((line) => line.includes('skep_turn_seconds') && line.includes('"data"'));
  const bucket = (le: string) => lines.find((line) => line.includes(`le="${le}"`))!.split(' ')[1];
  expect([bucket('0.0001'), bucket('0.0025'), bucket('0.005'), bucket('2.5'), bucket('+Inf')]).toEqual([
    '2',
    '2',
    '4',
    '4',
    '5',
  ]);
  expect(lines).toContain('skep_turn_seconds_count{service="data"} 5');
  expect(Number(lines.find((line) => line.includes('_sum'))!.split(' ')[1])).toBeCloseTo(99.00615);
});

test('no two series share a cell', () => {
  const { table, meters } = node();
  const expected: string[] = [];
  let next = 1;
  for (const [key, row] of Object.entries(METRICS) as [MetricKey, MetricRow][]) {
    if (row.bounds !== undefined || row.across === 'thread') continue;
    for (const labels of combinations(Object.entries(row.labels))) {
      meters[0]!.set(cellOf(key, ...labels.map(([, value]) => value)), next);
      const text = labels.map(([name, value]) => `${name}="${value}"`).join(',');
      expected.push(`${row.name}${text === '' ? '' : `{${text}}`} ${next++}`);
    }
  }
  expect(next).toBeGreaterThan(45);
  expect(scrape(table)).toEqual(expect.arrayContaining(expected));
});

function combinations(lists: readonly (readonly [string, readonly string[]])[]): (readonly [string, string])[][] {
  const [first, ...rest] = lists;
  if (first === undefined) return [[]];
  return first[1].flatMap((value) => combinations(rest).map((more) => [[first[0], value] as const, ...more]));
}

test('a label value that no row lists is an error', () => {
  expect(() => cellOf('requests', 'data', '9xx')).toThrow('9xx is no value of status');
  expect(() => cellOf('requests', 'data')).toThrow('2 labels expected');
});

test('rate profiles and the process are part of a scrape', () => {
  const { table } = node();
  const rates = [{ profile: 'auth_token', entries: 4, entriesMax: 9, refused: 2, overflowed: 1, taken: 0.5, spent: 0 }];
  const text = scrapeText(table, THREADS, rates);
  expect(text).toContain('\nskep_rate_refused_total{profile="auth_token"} 2\n');
  expect(text).toContain('\nskep_rate_overflow_total{profile="auth_token"} 1\n');
  expect(text).toContain('\nskep_rate_entries{profile="auth_token"} 4\n');
  expect(Number(/^process_resident_memory_bytes (\d+)$/m.exec(text)![1])).toBeGreaterThan(1e7);
});

test('another thread counts in its own column', async () => {
  const { table } = node();
  const worker = new Worker(new URL('./count.worker.ts', import.meta.url), { workerData: { table, column: 2 } });
  const [code] = (await once(worker, 'exit')) as [number];
  expect(code).toBe(0);
  const lines = scrape(table);
  expect(lines).toContain('skep_overlay_entries{thread="host-1"} 12');
  expect(lines).toContain('skep_requests_total{service="data",status="2xx"} 1000');
  const delay = lines.find((line) => line.startsWith('skep_event_loop_delay_seconds{thread="host-1"}'))!;
  expect(Number(delay.split(' ')[1])).toBeGreaterThan(0);
});

test('families that one service alone fills are left out where it is off', () => {
  const { table } = node();
  const families = (off: ReadonlySet<MetricRow['of']>): string[] =>
    [...scrapeText(table, THREADS, [], [], off).matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!);
  const [all, withoutVault] = [families(new Set()), families(new Set(['vault']))];
  expect(all.filter((name) => !withoutVault.includes(name))).toEqual([
    'vault_operations_total',
    'http_server_request_duration_seconds',
    'vault_sealed',
    'vault_backend_up',
    'vault_audit_events_pending',
    'vault_audit_events_dropped_total',
  ]);
  expect(all.filter((name) => name.startsWith('vault_') && withoutVault.includes(name))).toEqual([]);
});
