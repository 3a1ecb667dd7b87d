/**
 * A log that commit 85f7128 wrote: there a caller's time was the record's own. It reads, verifies and goes on; and its segments are
 * kept by the time at which the log took their records, which no caller says.
 */
import { execFileSync } from 'node:child_process';
import { createPrivateKey, createPublicKey, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { LogBook } from '#actors/audit/log-book.ts';
import { pruneLog } from '#actors/audit/prune.ts';
import { wishOf } from '#actors/audit/query.ts';
import { LmdbHeads, openEnvironment } from '#actors/audit/store.ts';
import { SimulatedClock } from '#test/kit/simulated-clock.ts';
import { readOnlyFiles } from '#storage/segment/files.ts';
import { verifyByNoble } from '#storage/segment/verify/ed25519.ts';
import { verifyLog } from '#storage/segment/verify/verify-log.ts';

const LOG = 'tenant/acme/shop/dev/main';
const ARCHIVE = fileURLToPath(new URL('old-log/written-by-85f7128.tgz', import.meta.url));
/** The day on which it was written: 22 November 2026. */
const WRITTEN = Date.UTC(2026, 10, 22);
const DAY_MS = 86_400_000;

function openOld() {
  const directory = mkdtempSync(join(tmpdir(), 'skep-old-log-'));
  execFileSync('tar', ['-xzf', ARCHIVE, '-C', directory]);
  const logs = join(directory, 'logs');
  const key = createPrivateKey(readFileSync(join(directory, 'keys/audit', LOG, 'signing-key.pem')));
  const fatal: Error[] = [];
  const environment = openEnvironment(join(logs, '.state'), { onFatal: (error) => void fatal.push(error) });
  const clock = new SimulatedClock(WRITTEN + 2 * DAY_MS);
  const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const bounds = { durability: 'strict', sealMs: 1e9, recordsMax: 4, bytesMax: 1e9, keepMs: null } as const;
  const book = new LogBook({
    settings: {
      deployment: 'audit.example',
      baseDir: logs,
      vaultPathTemplate: '{tenant}',
      keyIdTemplate: null,
      routing: [{ pattern: '**', ...bounds }],
      sync: [],
    },
    keys: { signingKey: () => Promise.resolve(key) },
    heads: new LmdbHeads(environment),
    clock,
    random: randomBytes,
    log: quiet,
    after: (ms, run) => {
      const timer = setTimeout(run, ms).unref();
      return () => clearTimeout(timer);
    },
    onFatal: (error) => void fatal.push(error),
    degraded: { report: () => undefined, clear: () => undefined },
    witness: () => {
      throw new Error('no witness here');
    },
  });
  onTestFinished(async () => {
    await book.close();
    await environment.close();
    rmSync(directory, { recursive: true, force: true });
    expect(fatal).toEqual([]);
  });
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32);
  const trust = { publicKey, name: null, origin: null, verify: verifyByNoble };
  return { book, verify: () => verifyLog(readOnlyFiles(join(logs, LOG)), trust, 'directory') };
}

test('it verifies, its records read as they were written, and it goes on', async () => {
  const { book, verify } = openOld();
  expect(await verify()).toMatchObject({ verdict: 'good', size: 10 });
  const log = await book.open(LOG);
  const records = (await log.records(0, 20)).map((entry) => JSON.parse(entry.toString()) as Record<string, unknown>);
  expect(records).toHaveLength(10);
  expect(records[0]).toMatchObject({ action: 'old.a', ts: '2020-01-01T00:00:00.000Z', v: 1 });
  expect(records[7]).toMatchObject({ action: 'old.h', ts: '9999-12-31T00:00:00.000Z', v: 1 });
  await log.append([book.ownEvent(log, 'test.later', {})], 'strict');
  await log.published(11);
  expect(await verify()).toMatchObject({ verdict: 'good', size: 11 });
});

test('what a caller wrote for the year 2020 is not pruned early, and the year 9999 stops no pruning', async () => {
  const { book, verify } = openOld();
  const log = await book.open(LOG);
  const prune = (beforeMs: number) => pruneLog(log, beforeMs, (of, data) => book.ownEvent(of, 'audit.pruned', data));
  // The first segment ends with a record of "2020", the second with one of "9999"; both were taken on the same day.
  expect(await prune(WRITTEN - DAY_MS)).toBe(0);
  expect(await prune(WRITTEN + DAY_MS)).toBe(2);
  expect(await verify()).toMatchObject({ verdict: 'good', pruned: 8 });
});

test('a backdated record does not hide from the range in which the log took it', async () => {
  const { book } = openOld();
  const log = await book.open(LOG);
  const records = (await log.records(0, 20)).map((entry) => JSON.parse(entry.toString()) as Record<string, unknown>);
  const found = (query: string) => {
    const wish = wishOf(new URLSearchParams(query));
    if (typeof wish === 'string') throw new Error(wish);
    return records.filter((record) => wish.fits(record)).map(({ action }) => action);
  };
  expect(found('since=2026-11-22T00:00:00Z&until=2026-11-23T00:00:00Z')).toHaveLength(10);
  expect(found('since=2026-11-23T00:00:00Z')).toEqual(['old.e', 'old.h']);
  expect(found('until=2021-01-01T00:00:00Z')).toEqual(['old.a', 'old.d', 'old.i']);
});
