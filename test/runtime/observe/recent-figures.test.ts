/** Points of the last hour, out of the table that threads count in. */
import { beforeEach, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { COLUMN, hostColumn } from '#runtime/observe/columns.ts';
import { DoorMeter } from '#runtime/observe/door-meter.ts';
import { Meter } from '#runtime/observe/meter.ts';
import { cellOf, createMetricTable } from '#runtime/observe/metric-table.ts';
import { RecentFigures } from '#runtime/observe/recent-figures.ts';

const { figureEveryMs, figureMsMin, figurePoints } = limits.nodeView;
const HOSTS = 2;

let fine: number;
let door: DoorMeter;
let hosts: readonly Meter[];
let figures: RecentFigures;

beforeEach(() => {
  fine = 0;
  const metrics = createMetricTable(hostColumn(HOSTS));
  door = new DoorMeter(new Meter(metrics, COLUMN.main));
  hosts = [0, 1].map((no) => new Meter(metrics, hostColumn(no)));
  figures = new RecentFigures({ metrics, hosts: HOSTS, rssBytes: () => 7, now: () => fine, fine: () => fine });
});

const pass = (ms: number = figureEveryMs): void => void (fine += ms);
const answer = (times: number, status: number, seconds: number): void => {
  for (let i = 0; i < times; i++) door.count('data', status, i % 2 === 0, seconds, false);
};

test('a point has what came since the one before, of reads and writes, and how long it took', () => {
  answer(90, 200, 0.002);
  answer(10, 500, 0.4);
  hosts[0]!.set(cellOf('mailboxDepth'), 3);
  hosts[1]!.set(cellOf('mailboxDepth'), 4);
  hosts[1]!.set(cellOf('lmdbLag'), 5);
  hosts[1]!.set(cellOf('loopDelay'), 0.02);
  pass();
  figures.look();
  answer(3, 200, 0.002);
  pass();
  figures.look();
  const [first, second] = figures.list().points;
  expect(first).toMatchObject({ requests_per_second: 3.33, failed_per_second: 0.33, waiting: 7, lag_records: 5 });
  expect(first).toMatchObject({ loop_delay_ms: 20, rss_bytes: 7, at: new Date(figureEveryMs).toISOString() });
  expect(first!.p50_ms).toBeGreaterThan(1);
  expect(first!.p50_ms).toBeLessThan(2.5);
  expect(first!.p99_ms).toBeGreaterThan(250);
  expect(second).toMatchObject({ requests_per_second: 0.1, failed_per_second: 0 });
  expect(second!.p99_ms).toBeLessThan(2.5);
});

test('nothing answered is no time of 0 ms', () => {
  pass();
  figures.look();
  expect(figures.list().points[0]).toMatchObject({ requests_per_second: 0, p50_ms: null, p99_ms: null });
});

test('the point that has begun is shown when it says something, and an hour is kept', () => {
  pass(figureMsMin - 1);
  expect(figures.list().points).toEqual([]);
  pass(1);
  expect(figures.list().points).toHaveLength(1);
  for (let i = 0; i < figurePoints + 5; i++) {
    pass();
    figures.look();
  }
  pass();
  const { points } = figures.list();
  expect(points).toHaveLength(figurePoints);
  expect(points.at(-1)!.at).toBe(new Date(fine).toISOString());
  expect(figurePoints * figureEveryMs).toBe(3_600_000);
});
