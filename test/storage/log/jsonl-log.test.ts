import { appendFileSync, mkdtempSync, readFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Corruption } from '#storage/fault.ts';
import { GENESIS, sealLine } from '#storage/log/chain.ts';
import { openDirectory } from '#storage/log/directory.ts';
import type { LogDisk } from '#storage/log/disk.ts';
import { openLog, type JsonlLog, type LogStart } from '#storage/log/jsonl-log.ts';
import type { Place } from '#storage/log/read-back.ts';
import { MemoryDisk } from './memory-disk.ts';

const DAY_MS = 24 * 60 * 60_000;
const FIRST_DAY = 'log-2026-01-31.001.jsonl';
const ALL: LogStart = { place: null };

let path = '';
let now = 0;
beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'skep-log-'));
  now = Date.UTC(2026, 0, 31, 12);
});
afterEach(() => rmSync(path, { recursive: true }));

interface Reopened {
  readonly log: JsonlLog;
  readonly bodies: string[];
}

async function open(
  start: LogStart = ALL,
  rotate: 'daily' | 'none' = 'daily',
  disk: LogDisk = openDirectory(path),
): Promise<Reopened> {
  const bodies: string[] = [];
  const log = await openLog(
    { disk, stem: 'log', rotate, now: () => now },
    start,
    (line) => void bodies.push(line.body),
  );
  return { log, bodies };
}

async function write(log: JsonlLog, ...numbers: number[]): Promise<Place> {
  const place = await log.append(numbers.map((n) => `{"n":${n}}`));
  await log.sync();
  return place!;
}

/** Opens, writes one batch per number, closes. */
async function wrote(...numbers: number[]): Promise<Place[]> {
  const { log } = await open();
  const places: Place[] = [];
  for (const n of numbers) places.push(await write(log, n));
  await log.close();
  return places;
}

const bodiesOf = (...numbers: number[]) => numbers.map((n) => `{"n":${n}}`);
const files = () => readdirSync(path).sort();
const file = (name = FIRST_DAY) => join(path, name);

async function reread(start: LogStart = ALL): Promise<string[]> {
  const { log, bodies } = await open(start);
  await log.close();
  return bodies;
}

describe('writing and reading back', () => {
  test('lines come back in order, also when opened again in between', async () => {
    await wrote(1, 2);
    await wrote(3);
    expect(await reread()).toEqual(bodiesOf(1, 2, 3));
  });

  test('the chain begins at the genesis hash and goes through files', async () => {
    const { log } = await open();
    await write(log, 1);
    await log.rotate();
    await write(log, 2);
    await log.close();
    const [first, second] = files().map(
      (name) => JSON.parse(readFileSync(file(name), 'utf8')) as { prev: string; hash: string },
    );
    expect(first!.prev).toBe(GENESIS);
    expect(second!.prev).toBe(first!.hash);
  });

  test('reading starts after a known place', async () => {
    const places = await wrote(1, 2, 3);
    expect(await reread({ place: places[1]! })).toEqual(bodiesOf(3));
    expect(await reread({ place: places[2]! })).toEqual([]);
  });

  test('lines longer than a slice, of any language, come back whole', async () => {
    const { log } = await open();
    const texts = ['ü'.repeat(700_000), '蜂'.repeat(500_000), 'x'].map((text) => JSON.stringify({ text }));
    await log.append(texts);
    await log.sync();
    await log.close();
    expect(await reread()).toEqual(texts);
  });

  test('lines that a killed writer had not synced are durable before they are read back', async () => {
    const disk = new MemoryDisk();
    const { log } = await open(ALL, 'daily', disk);
    await write(log, 1);
    await log.append(bodiesOf(2));
    const durable = (): string => disk.files.get(FIRST_DAY)!.durable.toString();
    expect(durable()).not.toContain('{"n":2');
    const seen: boolean[] = [];
    const options = { disk, stem: 'log', rotate: 'daily', now: () => now } as const;
    await openLog(options, ALL, ({ body }) => void seen.push(durable().includes(body.slice(0, -1))));
    expect(seen).toEqual([true, true]);
  });

  test('an empty directory is an empty log, and no file is made before the first line', async () => {
    expect(await reread()).toEqual([]);
    expect(files()).toEqual([]);
  });
});

describe('rotation', () => {
  test('daily: the first line of a UTC day starts a file', async () => {
    const { log } = await open();
    await write(log, 1);
    now += DAY_MS;
    await write(log, 2);
    await write(log, 3);
    await log.close();
    expect(files()).toEqual([FIRST_DAY, 'log-2026-02-01.001.jsonl']);
    expect(await reread()).toEqual(bodiesOf(1, 2, 3));
  });

  test('none: only rotate() starts a file, and an empty one is not left behind', async () => {
    const { log } = await open(ALL, 'none');
    await write(log, 1);
    now += 3 * DAY_MS;
    await write(log, 2);
    expect(files()).toEqual([FIRST_DAY]);
    await log.rotate();
    await log.rotate();
    await write(log, 3);
    await log.close();
    expect(files()).toEqual([FIRST_DAY, 'log-2026-02-03.001.jsonl']);
    expect(await reread()).toEqual(bodiesOf(1, 2, 3));
  });

  test('within a day files are numbered, in the order of their names', async () => {
    const { log } = await open();
    for (let n = 1; n <= 11; n++) {
      await write(log, n);
      await log.rotate();
    }
    await log.close();
    expect(files()).toContain('log-2026-01-31.011.jsonl');
    expect(await reread()).toEqual(bodiesOf(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
  });

  test('a clock set back does not reorder files', async () => {
    const { log } = await open();
    await write(log, 1);
    now -= 2 * DAY_MS;
    await log.rotate();
    await write(log, 2);
    await log.close();
    expect(files()).toEqual([FIRST_DAY, 'log-2026-01-31.002.jsonl']);
    expect(await reread()).toEqual(bodiesOf(1, 2));
  });

  test('files that were taken away are not missed, and their names not used again', async () => {
    const [place] = await wrote(1);
    rmSync(file());
    const { log, bodies } = await open({ place: place! });
    expect(bodies).toEqual([]);
    await write(log, 2);
    await log.close();
    expect(files()).toEqual(['log-2026-01-31.002.jsonl']);
    expect(await reread({ place: place! })).toEqual(bodiesOf(2));
  });
});

describe('a torn tail', () => {
  test.each([
    ['half a line', (line: string) => line.slice(0, line.length / 2)],
    ['a line without its newline', (line: string) => line],
    ['zeros, as a crashed file system leaves them', () => '\0'.repeat(5000)],
    ['garbage lines', () => 'a\nb\n\n{"n":9}\n'],
  ])('%s is cut and kept beside', async (_what, tail) => {
    const places = await wrote(1, 2);
    const torn = tail(sealLine('{"n":3}', places[1]!.hash).line);
    appendFileSync(file(), torn);
    expect(await reread()).toEqual(bodiesOf(1, 2));
    expect(readFileSync(file(`${FIRST_DAY}.torn-${places[1]!.offset}`), 'utf8')).toBe(torn);
    await wrote(4);
    expect(await reread()).toEqual(bodiesOf(1, 2, 4));
  });

  test('a write whose middle never came, with good lines behind it, as a loss of power leaves them', async () => {
    const places = await wrote(1, 2);
    let { hash } = places[1]!;
    for (let n = 3; n < 40; n++) {
      const sealed = sealLine(`{"n":${n}}`, hash);
      appendFileSync(file(), `${sealed.line}\n`);
      hash = sealed.hash;
    }
    const bytes = readFileSync(file());
    bytes.fill(0, 1024, 1536);
    writeFileSync(file(), bytes);
    const whole = bytes.subarray(0, 1024).toString().split('\n').length - 1;
    const expected = bodiesOf(...Array.from({ length: whole }, (_, at) => at + 1));
    expect(await reread()).toEqual(expected);
    const [torn] = files().filter((name) => name.includes('.torn-'));
    expect(readFileSync(file(torn)).at(-1)).toBe(0x0a);
    await wrote(99);
    expect(await reread()).toEqual([...expected, ...bodiesOf(99)]);
  });

  test('at the very start of a file leaves the chain to the file before', async () => {
    const { log } = await open();
    await write(log, 1);
    await log.rotate();
    await write(log, 2);
    await log.close();
    truncateSync(file('log-2026-01-31.002.jsonl'), 7);
    expect(await reread()).toEqual(bodiesOf(1));
    await wrote(3);
    expect(await reread()).toEqual(bodiesOf(1, 3));
  });
});

describe('corruption is refused', () => {
  test('a bad line before a good one', async () => {
    const places = await wrote(1, 2, 3);
    const bytes = readFileSync(file());
    bytes[places[0]!.offset + 3]! ^= 1;
    writeFileSync(file(), bytes);
    await expect(open()).rejects.toThrow(/a bad line, and a good one after it/);
    await expect(open()).rejects.toBeInstanceOf(Corruption);
    expect(readFileSync(file()).equals(bytes)).toBe(true);
  });

  test('a byte that was changed to zero, before a good line', async () => {
    const places = await wrote(1, 2, 3);
    const bytes = readFileSync(file());
    bytes[places[0]!.offset + 3] = 0;
    writeFileSync(file(), bytes);
    await expect(open()).rejects.toThrow(/a bad line, and a good one after it/);
  });

  test('a bad line whose good one is in the next file', async () => {
    const { log } = await open();
    await write(log, 1);
    await log.rotate();
    await write(log, 2);
    await log.close();
    truncateSync(file(), 20);
    await expect(open()).rejects.toThrow(/log-2026-01-31.002.jsonl:0/);
  });

  test('a line taken out: the next one names another', async () => {
    await wrote(1, 2, 3);
    const lines = readFileSync(file(), 'utf8').split('\n');
    writeFileSync(file(), [lines[0], lines[2], ''].join('\n'));
    await expect(open()).rejects.toThrow(/does not follow/);
  });

  test('a file shorter than what was acknowledged', async () => {
    const places = await wrote(1, 2);
    truncateSync(file(), places[0]!.offset);
    await expect(open({ place: places[1]! })).rejects.toThrow(/were acknowledged/);
  });
});

describe('a full disk', () => {
  test('nothing of the batch stays, and the log goes on when there is room', async () => {
    const disk = new MemoryDisk();
    const { log } = await open(ALL, 'daily', disk);
    await write(log, 1);
    const before = disk.text(FIRST_DAY);
    disk.capacity = disk.used() + 250;
    expect(await log.append(bodiesOf(2, 3))).toBeNull();
    expect(disk.text(FIRST_DAY)).toBe(before);
    disk.capacity = Infinity;
    await write(log, 4);
    expect(
      (
        await open(
          ALL,
          'daily',
          disk.crash(() => 0),
        )
      ).bodies,
    ).toEqual(bodiesOf(1, 4));
  });

  test('no room for a new file: the batch is refused, rotate() says so, the present file stays', async () => {
    const disk = new MemoryDisk();
    const { log } = await open(ALL, 'daily', disk);
    await write(log, 1);
    disk.before = (operation) =>
      operation === 'open' ? Promise.reject(Object.assign(new Error(), { code: 'ENOSPC' })) : Promise.resolve();
    expect(await log.rotate()).toBe(false);
    await write(log, 2);
    now += DAY_MS;
    expect(await log.append(bodiesOf(3))).toBeNull();
    expect(await disk.names()).toEqual([FIRST_DAY]);
  });

  test('another error is passed on', async () => {
    const disk = new MemoryDisk();
    const { log } = await open(ALL, 'daily', disk);
    disk.before = (operation) => (operation === 'write' ? Promise.reject(new Error('EIO')) : Promise.resolve());
    await expect(log.append(bodiesOf(1))).rejects.toThrow('EIO');
  });
});

describe('reading since a date', () => {
  test('leaves out the files of days before, but for one, and keeps the chain', async () => {
    const { log } = await open();
    for (let n = 1; n <= 5; n++) {
      await write(log, n);
      now += DAY_MS;
    }
    await log.close();
    expect(await reread({ since: '2026-02-03' })).toEqual(bodiesOf(3, 4, 5));
    expect(await reread({ since: '2027-01-01' })).toEqual(bodiesOf(5));
    now -= DAY_MS;
    const reopened = await open({ since: '2026-02-04' });
    await write(reopened.log, 6);
    await reopened.log.close();
    expect(await reread()).toEqual(bodiesOf(1, 2, 3, 4, 5, 6));
  });
});
