import { cpSync, existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { openFiles, readOnlyFiles } from '#storage/segment/files.ts';
import { writeLines } from '#storage/segment/line.ts';
import { LogRefused } from '#storage/segment/refused.ts';
import { verifyLog } from '#storage/segment/verify/verify-log.ts';
import { FailingFiles, appendSome, placeOfLog, recordOf, type LogPlace } from './kit.ts';

const verified = (place: LogPlace) => verifyLog(readOnlyFiles(place.directory), place.trust, 'directory');
const segment = (place: LogPlace, first = 0): string =>
  join(place.directory, 'segments', `${String(first).padStart(16, '0')}.log`);

async function refusalOf(place: LogPlace): Promise<LogRefused> {
  const error: unknown = await place.open().then(
    (log) => log.close(),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(LogRefused);
  return error as LogRefused;
}

describe('a log on the disk', () => {
  test('grows over restarts and segments, and verifies with nothing but the public key', async () => {
    const place = placeOfLog();
    for (let round = 0; round < 3; round++) {
      const log = await place.open({ bounds: { recordsMax: 100, bytesMax: 1_000_000 } });
      await appendSome(log, 170);
      await log.close();
    }
    expect(await verified(place)).toMatchObject({ verdict: 'good', size: 510, records: 510, unsigned: 0, missing: [] });
    expect(readdirSync(join(place.directory, 'segments')).filter((name) => name.endsWith('.json'))).toHaveLength(5);
    expect(place.fatal).toEqual([]);
  });

  test('no segment holds more records or bytes than its bounds, whatever the calls; only one call by itself may', async () => {
    const place = placeOfLog();
    const bounds = { recordsMax: 10, bytesMax: 2000 };
    const log = await place.open({ bounds });
    const calls = [7, 7, 3, 10, 1, 9, 2, 12, 4, 4, 4];
    const large = (seq: number): Buffer =>
      Buffer.from(JSON.stringify({ seq, source: 'large', source_seq: seq + 1, data: 'x'.repeat(1500) }));
    const append = (count: number, withLarge: boolean): Promise<unknown> => {
      const entries = Array.from({ length: count }, (_, at) => recordOf(log.next + at));
      return log.append(withLarge ? [...entries, large(log.next + count)] : entries, 'strict');
    };
    await Promise.all(calls.map((count, at) => append(count, at % 4 === 2)));
    await log.close();
    const firsts = readdirSync(join(place.directory, 'segments')).filter((name) => name.endsWith('.log'));
    const sizes = firsts.map((name) =>
      readFileSync(join(place.directory, 'segments', name), 'utf8')
        .trim()
        .split('\n'),
    );
    expect(sizes.flat()).toHaveLength(calls.reduce((sum, count) => sum + count, 0) + 3);
    expect(sizes.filter((lines) => lines.length > bounds.recordsMax).map((lines) => lines.length)).toEqual([12]); // one call
    for (const lines of sizes) expect(lines.join('\n').length + 1).toBeLessThanOrEqual(bounds.bytesMax);
    expect(await verified(place)).toMatchObject({ verdict: 'good', missing: [] });
  });

  test('strict entries are in the tree when they are acknowledged; the others at the latest when the log is closed', async () => {
    const place = placeOfLog();
    const log = await place.open();
    expect(await log.append([recordOf(0)], 'strict')).toBe('kept');
    await log.published(1);
    expect(log.head?.size).toBe(1);
    expect(await log.append([recordOf(1)], 'batched')).toBe('kept');
    expect(await log.append([recordOf(2), recordOf(3)], 'async')).toBe('kept');
    await log.close();
    expect(await verified(place)).toMatchObject({ verdict: 'good', size: 4 });
  });

  test('what is appended while a checkpoint is written gets the next one, unasked', async () => {
    const place = placeOfLog();
    let begun = (): void => undefined;
    let goOn = (): void => undefined;
    const writing = new Promise<void>((resolve) => (begun = resolve));
    const held = new Promise<void>((resolve) => (goOn = resolve));
    class SlowFiles extends FailingFiles {
      override async save(files: readonly (readonly [string, Uint8Array])[]): Promise<void> {
        begun();
        await held;
        await super.save(files);
      }
    }
    const files = new SlowFiles(openFiles(place.directory), Infinity, new Error('none'));
    const after = (ms: number, run: () => void): (() => void) => {
      if (ms <= limits.audit.checkpointMs) setImmediate(run); // the seal's time never comes
      return () => undefined;
    };
    const log = await place.open({ files, after });
    await appendSome(log, 1);
    await writing;
    await appendSome(log, 1);
    goOn();
    await expect.poll(() => log.head?.size, { interval: 5 }).toBe(2);
    await log.close();
  });

  test('is sealed when its time has come: manifest, read-only file, a new segment after it', async () => {
    const place = placeOfLog();
    const log = await place.open();
    await appendSome(log, 3);
    await log.seal();
    await appendSome(log, 2);
    await log.close();
    const names = readdirSync(join(place.directory, 'segments')).toSorted();
    expect(names).toEqual(['0000000000000000.json', '0000000000000000.log', '0000000000000003.log']);
    expect(await verified(place)).toMatchObject({ verdict: 'good', size: 5 });
  });

  test('is held by one writer', async () => {
    const place = placeOfLog();
    const log = await place.open();
    expect((await refusalOf(place)).why).toBe('held');
    await log.close();
    await (await place.open()).close();
  });
});

describe('recovery', () => {
  test('a torn tail is cut and kept beside', async () => {
    const place = placeOfLog();
    const log = await place.open();
    await appendSome(log, 5);
    await log.close();
    const good = readFileSync(segment(place));
    writeFileSync(segment(place), Buffer.concat([good, Buffer.from('0123abcd 77 {"half')]));
    const again = await place.open();
    expect(again.torn?.start).toBe(good.length);
    expect(again.next).toBe(5);
    expect(readFileSync(`${segment(place)}.torn-${good.length}`).toString()).toBe('0123abcd 77 {"half');
    await appendSome(again, 1);
    await again.close();
    expect(await verified(place)).toMatchObject({ verdict: 'good', size: 6 });
  });

  test('a write whose middle never came is cut, with the good lines behind it, as a loss of power leaves them', async () => {
    const place = placeOfLog();
    const log = await place.open();
    await appendSome(log, 2);
    await log.close();
    const unsynced = Array.from({ length: 30 }, (_, at) => recordOf(2 + at));
    const bytes = Buffer.concat([readFileSync(segment(place)), writeLines(unsynced)]);
    bytes.fill(0, 1024, 1536);
    writeFileSync(segment(place), bytes);
    expect(await verified(place)).toMatchObject({ verdict: 'incomplete', size: 2, tampered: null });
    const whole = bytes.subarray(0, 1024).toString().split('\n').length - 1;
    const again = await place.open();
    expect(again.next).toBe(whole);
    expect(again.torn?.bytes.at(-1)).toBe(0x0a);
    await appendSome(again, 1);
    await again.close();
    expect(await verified(place)).toMatchObject({ verdict: 'good', size: whole + 1 });
  });

  test('the middle of signed records that never came is refused: it was on the disk when it was signed', async () => {
    const place = placeOfLog();
    const log = await place.open();
    await appendSome(log, 30);
    await log.close();
    const bytes = readFileSync(segment(place));
    bytes.fill(0, 1024, 1536);
    writeFileSync(segment(place), bytes);
    expect((await refusalOf(place)).why).toBe('rollback');
    expect(readFileSync(segment(place)).equals(bytes)).toBe(true);
  });

  test('a bad line before a good one is damage, and nothing is changed', async () => {
    const place = placeOfLog();
    const log = await place.open();
    await appendSome(log, 5);
    await log.close();
    const bytes = readFileSync(segment(place));
    for (const changed of [bytes[20]! ^ 1, 0]) {
      bytes[20] = changed;
      writeFileSync(segment(place), bytes);
      expect((await refusalOf(place)).why).toBe('damage');
      expect(readFileSync(segment(place)).equals(bytes)).toBe(true);
    }
  });

  test('an old copy of the directory is a rollback', async () => {
    const place = placeOfLog();
    const log = await place.open();
    await appendSome(log, 5);
    await log.close();
    cpSync(place.directory, `${place.directory}.old`, { recursive: true });
    const next = await place.open();
    await appendSome(next, 1);
    await next.close();
    rmSync(place.directory, { recursive: true });
    cpSync(`${place.directory}.old`, place.directory, { recursive: true });
    expect((await refusalOf(place)).why).toBe('rollback');
    expect(await verified(place)).toMatchObject({ verdict: 'good', size: 5 });
  });

  test('an old copy of the signed heads, or none at all, is a rollback', async () => {
    const place = placeOfLog();
    const log = await place.open();
    await appendSome(log, 5);
    await log.published(5);
    const old = new Map(place.heads.all);
    await appendSome(log, 1);
    await log.close();
    for (const heads of [old, new Map<string, never>()]) {
      place.heads.all.clear();
      for (const [id, head] of heads) place.heads.all.set(id, head);
      expect((await refusalOf(place)).why).toBe('rollback');
    }
  });

  test('other records of the same size are a fork', async () => {
    const place = placeOfLog();
    const other = placeOfLog();
    for (const [one, source] of [
      [place, 'a'],
      [other, 'b'],
    ] as const) {
      const log = await one.open();
      await log.append([recordOf(0, source)], 'strict');
      await log.close();
    }
    rmSync(segment(place));
    cpSync(segment(other), segment(place));
    expect((await refusalOf(place)).why).toBe('fork');
  });

  test('missing tiles are made again from the records', async () => {
    const place = placeOfLog();
    const bounds = { recordsMax: 300, bytesMax: 1_000_000 };
    const log = await place.open({ bounds });
    await appendSome(log, 700);
    await log.close();
    rmSync(join(place.directory, 'tile'), { recursive: true });
    expect(await verified(place)).toMatchObject({ verdict: 'incomplete', records: 700 });
    const again = await place.open({ bounds });
    await appendSome(again, 1);
    await again.close();
    expect(await verified(place)).toMatchObject({ verdict: 'good', size: 701 });
  });
});

describe('faults', () => {
  test('a crash at every change of writing and sealing loses nothing that was acknowledged', async () => {
    let steps = 0;
    for (let at = 0; ; at++) {
      const place = placeOfLog();
      const bounds = { recordsMax: 4, bytesMax: 1_000_000 };
      const files = new FailingFiles(openFiles(place.directory), at, new Error('crash'));
      let kept = 0;
      try {
        const log = await place.open({ bounds, files });
        for (let no = 0; no < 10; no++) if ((await log.append([recordOf(log.next)], 'strict')) === 'kept') kept++;
        files.left = Math.max(files.left, 0);
        await log.close();
        if (place.fatal.length === 0) steps = at;
      } catch (error) {
        expect((error as Error).message).toBe('crash');
      }
      // The lock of the crashed log is this process's own: a copy stands for the next start.
      const next: LogPlace = { ...place, directory: `${place.directory}.next` };
      if (existsSync(place.directory)) cpSync(place.directory, next.directory, { recursive: true });
      const log = await place.open({ bounds, directory: next.directory });
      expect(log.next).toBeGreaterThanOrEqual(kept);
      await appendSome(log, 3);
      await log.close();
      expect(await verified(next), `crash at change ${at}`).toMatchObject({ verdict: 'good', unsigned: 0 });
      if (steps > 0) break;
    }
    expect(steps).toBeGreaterThan(20);
  });

  test('a full disk sheds whole batches, and the log goes on when there is room', async () => {
    const place = placeOfLog();
    const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });
    const files = new FailingFiles(openFiles(place.directory), 1000, full);
    const log = await place.open({ files });
    await appendSome(log, 2);
    await log.published(2);
    files.left = 0;
    const fates = await Promise.all([0, 1].map(() => log.append([recordOf(log.next)], 'strict')));
    expect(fates).toEqual(['full', 'full']);
    expect(log.next).toBe(2);
    files.left = 1000;
    await appendSome(log, 2);
    await log.close();
    expect(await verified(place)).toMatchObject({ verdict: 'good', size: 4 });
    expect(place.fatal).toEqual([]);
  });

  test('a broken disk ends the writer: nothing after it is acknowledged', async () => {
    const place = placeOfLog();
    const broken = Object.assign(new Error('i/o error'), { code: 'EIO' });
    const files = new FailingFiles(openFiles(place.directory), 1000, broken);
    const log = await place.open({ files });
    await appendSome(log, 2);
    files.left = 1; // the write passes, its fdatasync fails
    expect(await log.append([recordOf(2)], 'strict')).toBe('failed');
    expect(place.fatal).toEqual([broken]);
    files.left = 1000;
    expect(await log.append([recordOf(3)], 'strict')).toBe('failed');
  });
});
