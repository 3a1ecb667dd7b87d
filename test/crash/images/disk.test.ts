/** The model of a disk without power, on recordings written by hand. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Random } from '#test/kit/random.ts';
import { Disk, entryAt } from './disk.ts';
import { writeImage } from './image.ts';
import type { Style } from './pick.ts';
import type { Recorded } from './recording.ts';

const FILE = 900_001;
const OTHER = 900_002;
const SECTOR = 512;

function recorded(kind: Recorded['kind'], wish: Partial<Omit<Recorded, 'kind'>> = {}): Recorded {
  return { kind, flag: false, ino: 0, number: 0, bytes: Buffer.alloc(0), ...wish };
}
const made = (ino: number, path: string): Recorded => recorded('file', { ino, bytes: Buffer.from(path) });
const renamed = (from: string, to: string): Recorded => recorded('rename', { bytes: Buffer.from(`${from}\0${to}`) });
const wrote = (ino: number, at: number, text: string, flag = false): Recorded =>
  recorded('write', { ino, number: at, bytes: Buffer.from(text), flag });
const syncing = (ino: number, number: number): Recorded => recorded('syncing', { ino, number });
const synced = (ino: number, number: number, flag = true): Recorded => recorded('synced', { ino, number, flag });

interface Place {
  readonly root: number;
  readonly one: number;
  readonly two: number;
  readonly disk: (records: readonly Recorded[]) => Disk;
  /** The files of an image of the disk, by their paths. */
  readonly image: (disk: Disk, style: Style, seed?: number) => Record<string, string>;
}

/** A directory with two others and a file in the first. */
function place(): Place {
  const dir = mkdtempSync(join(tmpdir(), 'skep-disk-model-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const data = join(dir, 'data');
  for (const name of ['one', 'two']) mkdirSync(join(data, name), { recursive: true });
  writeFileSync(join(data, 'one', 'old'), 'old');
  const inoOf = (path: string): number => statSync(join(data, path)).ino;
  let images = 0;
  return {
    root: inoOf('.'),
    one: inoOf('one'),
    two: inoOf('two'),
    disk: (records) => {
      const disk = new Disk(entryAt(data));
      for (const record of records) disk.apply(record);
      return disk;
    },
    image: (disk, style, seed = 1) => {
      const at = join(dir, `image${images++}`);
      writeImage(disk, at, style, new Random(seed));
      const paths = readdirSync(at, { recursive: true, encoding: 'utf8' });
      const files = paths.filter((path) => statSync(join(at, path)).isFile());
      return Object.fromEntries(files.map((path) => [path, readFileSync(join(at, path), 'latin1')]));
    },
  };
}

describe('what must be there', () => {
  test('what was written before a sync began, and under a name whose directory was synced', () => {
    const { disk, image, one } = place();
    const write = [
      made(FILE, 'one/new'),
      wrote(FILE, 0, 'abc'),
      syncing(FILE, 1),
      wrote(FILE, 3, 'def'),
      synced(FILE, 1),
    ];
    expect(image(disk(write), 'least')).toEqual({ 'one/old': 'old' });
    const named = disk([...write, syncing(one, 2), synced(one, 2)]);
    expect(image(named, 'least')).toEqual({ 'one/old': 'old', 'one/new': 'abc' });
    expect(image(named, 'most')).toEqual({ 'one/old': 'old', 'one/new': 'abcdef' });
  });

  test('nothing of a sync that failed, and what O_DSYNC wrote', () => {
    const { disk, image, one } = place();
    const names = [made(FILE, 'one/new'), syncing(one, 1), synced(one, 1)];
    const failed = [...names, wrote(FILE, 0, 'abc'), syncing(FILE, 2), synced(FILE, 2, false)];
    expect(image(disk(failed), 'least')['one/new']).toBe('');
    expect(image(disk([...names, wrote(FILE, 0, 'abc', true)]), 'least')['one/new']).toBe('abc');
  });

  test('of what a failed sync has covered, only what was written again before a good one', () => {
    const { disk, image, one } = place();
    const names = [made(FILE, 'one/new'), syncing(one, 1), synced(one, 1)];
    const failed = [...names, wrote(FILE, 0, 'abcdef'), syncing(FILE, 2), wrote(FILE, 6, 'g'), synced(FILE, 2, false)];
    const good = (number: number): Recorded[] => [syncing(FILE, number), synced(FILE, number)];
    const found = (records: readonly Recorded[], style: Style) =>
      image(disk([...failed, ...records]), style)['one/new'];
    expect(found(good(3), 'least')).toBe('\0\0\0\0\0\0g');
    expect(found([wrote(FILE, 2, 'xy'), ...good(3)], 'least')).toBe('\0\0xy\0\0g');
    expect(found([wrote(FILE, 2, 'xy'), ...good(3), ...good(4)], 'most')).toBe('abxyefg');
    expect(found([wrote(FILE, 0, 'uvwxyz'), ...good(3)], 'least')).toBe('uvwxyzg');
    expect(found([recorded('size', { ino: FILE, number: 3 }), ...good(3)], 'most')).toBe('abc');
  });

  test('names of two syncs of directories that ran at once', () => {
    const { disk, image, one, two } = place();
    const both = [
      made(FILE, 'one/a'),
      made(OTHER, 'two/b'),
      syncing(one, 1),
      syncing(two, 2),
      synced(two, 2),
      synced(one, 1),
    ];
    expect(Object.keys(image(disk(both), 'least')).toSorted()).toEqual(['one/a', 'one/old', 'two/b']);
  });

  test('a rename between directories, once either was synced', () => {
    const { disk, image, two } = place();
    const moved = [renamed('one/old', 'two/old'), syncing(two, 1)];
    expect(image(disk(moved), 'least')).toEqual({ 'one/old': 'old' });
    expect(image(disk([...moved, synced(two, 1)]), 'least')).toEqual({ 'two/old': 'old' });
  });

  test('a file whose inode is given to another after it was removed', () => {
    const { disk, image, one } = place();
    const again = [made(FILE, 'one/a'), wrote(FILE, 0, 'a'), recorded('unlink', { bytes: Buffer.from('one/a') })];
    const all = [...again, made(FILE, 'one/b'), syncing(one, 1), synced(one, 1)];
    expect(image(disk(all), 'least')).toEqual({ 'one/old': 'old', 'one/b': '' });
  });
});

describe('what may be there', () => {
  const seeds = Array.from({ length: 300 }, (_, seed) => seed);

  test('each sector of a write or none of it, in any combination, and each size that the file had', () => {
    const { disk, image, one } = place();
    const text = 'a'.repeat(SECTOR) + 'b'.repeat(SECTOR) + 'c'.repeat(SECTOR);
    const torn = disk([made(FILE, 'one/new'), syncing(one, 1), synced(one, 1), wrote(FILE, 0, text)]);
    const found = new Set(seeds.map((seed) => image(torn, 'mixed', seed)['one/new']!));
    for (const bytes of found)
      for (let at = 0; at < bytes.length; at += SECTOR)
        expect(['\0'.repeat(SECTOR), text.slice(at, at + SECTOR)]).toContain(bytes.slice(at, at + SECTOR));
    expect(found).toContain('a'.repeat(SECTOR) + '\0'.repeat(SECTOR) + 'c'.repeat(SECTOR));
    expect(found).toContain('');
  });

  test('a later write to a sector brings the earlier one along, and one to another sector does not', () => {
    const { disk, image, one } = place();
    const before = [made(FILE, 'one/new'), syncing(one, 1), synced(one, 1), wrote(FILE, 0, 'a')];
    const shared = disk([...before, wrote(FILE, 1, 'b')]);
    const same = new Set(seeds.map((seed) => image(shared, 'mixed', seed)['one/new']));
    expect(same).toEqual(new Set(['', '\0', '\0\0', 'a', 'a\0', 'ab']));
    const apart = disk([...before, wrote(FILE, SECTOR, 'b')]);
    expect(seeds.map((seed) => image(apart, 'mixed', seed)['one/new'])).toContain(`${'\0'.repeat(SECTOR)}b`);
  });

  test('a later name of one directory without an earlier one of another, but never of the same', () => {
    const { disk, image } = place();
    const names = disk([made(FILE, 'one/a'), made(OTHER, 'two/b'), made(OTHER + 1, 'one/c')]);
    const found = seeds.map((seed) => Object.keys(image(names, 'mixed', seed)));
    expect(found.some((paths) => paths.includes('two/b') && !paths.includes('one/a'))).toBe(true);
    expect(found.some((paths) => paths.includes('one/c') && !paths.includes('one/a'))).toBe(false);
  });
});
