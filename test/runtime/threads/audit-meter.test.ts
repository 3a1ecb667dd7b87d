/** Figures of the audit logs: sizes, what waits, what refuses, what was lost, how old copies and cosignatures are. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Freshness } from '#actors/audit/freshness.ts';
import type { LogBook } from '#actors/audit/log-book.ts';
import { startSync } from '#actors/audit/sync-round.ts';
import { createMetricTable, cellOf } from '#runtime/observe/metric-table.ts';
import type { MetricKey } from '#runtime/observe/metric-rows.ts';
import { Meter } from '#runtime/observe/meter.ts';
import { watchAudit } from '#runtime/threads/audit-meter.ts';
import { BookPlace, LOG } from '#test/actors/audit/book.ts';

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
const after = (ms: number, run: () => void): (() => void) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};

function figuresOf(place: BookPlace, book: LogBook) {
  const [synced, witnessed] = [new Freshness(() => place.clock.now()), new Freshness(() => place.clock.now())];
  const table = createMetricTable(1);
  const stop = watchAudit({ book, synced, witnessed }, new Meter(table, 0));
  onTestFinished(() => stop());
  const value = (key: MetricKey): number => new Float64Array(table)[cellOf(key)]!;
  return { synced, witnessed, value };
}

test('sizes, and records that no checkpoint covers yet', async () => {
  const place = new BookPlace();
  const book = place.open(3);
  const log = await book.open(LOG);
  await place.append(log, 7);
  await log.published(7);
  const { value } = figuresOf(place, book);
  await expect.poll(() => value('auditSegmentBytes'), { timeout: 20_000 }).toBeGreaterThan(500);
  expect(['auditLogs', 'auditRecords', 'auditUnsigned'].map((key) => value(key as MetricKey))).toEqual([1, 7, 0]);
  await place.append(log, 2);
  expect(log.unsigned).toBeGreaterThanOrEqual(0);
  await log.published(9);
  expect(log.unsigned).toBe(0);
  await book.close();
});

test('a log that refuses to be written counts until it opens again', async () => {
  const place = new BookPlace();
  const { file, whole } = await place.damaged();
  const again = place.open(100);
  await expect(again.open(LOG)).rejects.toThrow();
  const { value } = figuresOf(place, again);
  await expect.poll(() => value('auditRefused'), { timeout: 20_000 }).toBe(1);
  writeFileSync(file, whole);
  await again.open(LOG);
  await expect.poll(() => value('auditRefused'), { timeout: 20_000 }).toBe(0);
  await again.close();
});

test('records that were lost add up, over logs and their reopenings', async () => {
  const place = new BookPlace();
  const lossy = { lost: 2, unsigned: 0 };
  const opened = [lossy as never];
  const book = {
    ids: () => [],
    directoryOf: () => '',
    signedSize: () => 0,
    refused: new Map(),
    opened: opened.map((one) => Promise.resolve(one)),
  };
  const { value } = figuresOf(place, book as never);
  await expect.poll(() => value('auditLost'), { timeout: 20_000 }).toBe(2);
  lossy.lost = 5;
  await expect.poll(() => value('auditLost'), { timeout: 20_000 }).toBe(5);
});

test('the age of a copy grows while its target cannot be written, and ends when it has all that is signed', async () => {
  const place = new BookPlace();
  const book = place.open(100);
  const log = await book.open(LOG);
  await place.append(log, 3);
  await log.published(3);
  const target = mkdtempSync(join(tmpdir(), 'skep-copy-'));
  onTestFinished(() => rmSync(target, { recursive: true, force: true }));
  writeFileSync(join(target, 'tenant'), 'a file in its way');
  const { synced, witnessed, value } = figuresOf(place, book);
  const settings = { pattern: '**', targets: [target], cadenceMs: 5, anchor: null };
  const stop = startSync({ book, log: quiet, after, synced, witnessed }, settings);
  onTestFinished(() => stop());
  await expect.poll(() => synced.ageSeconds, { timeout: 20_000 }).toBe(0);
  await expect
    .poll(
      () => {
        place.clock.advance(60_000);
        return synced.ageSeconds;
      },
      { timeout: 20_000 },
    )
    .toBeGreaterThan(100);
  await expect.poll(() => value('auditSyncAge'), { timeout: 20_000 }).toBeGreaterThan(100);
  rmSync(join(target, 'tenant'));
  await expect.poll(() => synced.ageSeconds, { timeout: 20_000 }).toBe(0);
  await expect.poll(() => value('auditSyncAge'), { timeout: 20_000 }).toBe(0);
  expect(value('auditWitnessAge')).toBe(0);
  await stop();
  await book.close();
});

test('the age of a cosignature grows while the witness does not answer', async () => {
  const place = new BookPlace();
  place.peer = {
    url: 'http://witness',
    verifier: await place.verifier(),
    send: () => Promise.reject(new Error('no answer')),
  };
  const book = place.open(100);
  const log = await book.open(LOG);
  await place.append(log, 1);
  await log.published(1);
  const { synced, witnessed, value } = figuresOf(place, book);
  const settings = { pattern: '**', targets: [], cadenceMs: 5, anchor: { url: 'http://witness', key: '' } };
  const stop = startSync({ book, log: quiet, after, synced, witnessed }, settings);
  onTestFinished(() => stop());
  await expect
    .poll(
      () => {
        place.clock.advance(60_000);
        return witnessed.ageSeconds;
      },
      { timeout: 20_000 },
    )
    .toBeGreaterThan(100);
  await expect.poll(() => value('auditWitnessAge'), { timeout: 20_000 }).toBeGreaterThan(100);
  await stop();
  await book.close();
});

test('a log that is gone has no copies to wait for', () => {
  let now = 0;
  const fresh = new Freshness(() => now);
  expect(fresh.ageSeconds).toBe(0);
  fresh.expect('tenant/a/b/c/d', 'x y');
  fresh.expect('node/platform', 'x');
  now = 5000;
  fresh.done('node/platform', 'x');
  fresh.expect('tenant/a/b/c/d', 'x y');
  expect(fresh.ageSeconds).toBe(5);
  expect(['tenant/a/b/c/d', 'node/platform', 'tenant/a/b/c'].map((id) => fresh.behindSeconds(id))).toEqual([
    5,
    0,
    null,
  ]);
  fresh.keepOnly((id) => id === 'node/platform');
  expect(fresh.ageSeconds).toBe(0);
});
