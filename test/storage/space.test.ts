import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { limits } from '#config/limits.ts';
import { dropBallast, loadBallast, makeRoom, Space } from '#storage/space.ts';
import { bytes, openAt, place } from './place.ts';

const MIB = 2 ** 20;
const NEVER = Number.MAX_SAFE_INTEGER;

it('knows whether the disk has the room that the watermark asks for', async () => {
  const path = place();
  const enough = new Space(path, { freeBytesMin: 1, everyMs: 60_000 });
  const never = new Space(path, { freeBytesMin: Number.MAX_SAFE_INTEGER, everyMs: 60_000 });
  expect(never.hasRoom).toBe(true);
  await Promise.all([enough.check(), never.check()]);
  expect([enough.hasRoom, never.hasRoom]).toEqual([true, false]);
  expect(enough.freeBytes).toBeGreaterThan(0);
  for (const space of [enough, never]) space.close();
});

it('keeps what it knew when the disk cannot be asked', async () => {
  const space = new Space(join(place(), 'missing'), { freeBytesMin: 1, everyMs: 60_000 });
  await space.check();
  expect(space.hasRoom).toBe(true);
  space.close();
});

it('keeps real bytes back as ballast, and a shutdown on a full disk spends them', async () => {
  const dataDir = place();
  const ballast = join(dataDir, 'ballast');
  await loadBallast(dataDir, 300_000);
  const { size, blocks } = statSync(ballast);
  expect([size, blocks * 512 >= 300_000]).toEqual([300_000, true]);
  await loadBallast(dataDir, 5);
  expect(statSync(ballast).size).toBe(300_000);
  const archive = await openAt(dataDir);
  await archive.close();
  expect(existsSync(ballast)).toBe(true);
  const full = await openAt(dataDir, { limits: { freeBytesMin: Number.MAX_SAFE_INTEGER } });
  await full.close();
  expect(existsSync(ballast)).toBe(false);
  dropBallast(dataDir);
});

it('makes no file when no ballast is wanted', async () => {
  const dataDir = place();
  await loadBallast(dataDir, 0);
  expect(existsSync(join(dataDir, 'ballast'))).toBe(false);
});

it('makes no ballast that would take the room above the watermark', async () => {
  const dataDir = place();
  await loadBallast(dataDir, 4096, NEVER);
  expect(existsSync(join(dataDir, 'ballast'))).toBe(false);
});

it('counts what was let in and what is pending, and looks again once enough came, whatever the clock says', () => {
  const disk = { free: 100 * MIB, looks: 0 };
  let pending = 0;
  const space = new Space('/data', {
    freeBytesMin: 10 * MIB,
    everyMs: null,
    pending: () => pending,
    freeBytes: () => {
      disk.looks++;
      return disk.free;
    },
  });
  expect([space.admits(90 * MIB, false), space.admits(90 * MIB + 1, false)]).toEqual([true, false]);
  pending = 60 * MIB;
  expect([space.admits(30 * MIB, false), space.admits(30 * MIB + 1, false)]).toEqual([true, false]);
  const { looks } = disk;
  disk.free = 50 * MIB;
  pending = 0;
  for (let taken = 0; taken < limits.storage.freeLookBytes; taken += 4096) space.admits(4096, false);
  expect(disk.looks).toBeGreaterThan(looks);
  expect([space.freeBytes, space.admits(45 * MIB, false)]).toEqual([50 * MIB, false]);
});

it('refuses nothing by an old look: a disk that got room since its last look takes the turn', () => {
  const disk = { free: 0 };
  const space = new Space('/data', { freeBytesMin: 10 * MIB, everyMs: null, freeBytes: () => disk.free });
  space.look();
  expect(space.admits(4096, false)).toBe(false);
  disk.free = 20 * MIB;
  expect(space.admits(4096, false)).toBe(true);
});

it('lets what takes more away than it adds use what lies below the watermark, down to a rest', () => {
  const rest = limits.storage.freeBytesRest;
  const space = new Space('/data', { freeBytesMin: 100 * MIB, everyMs: null, freeBytes: () => rest + MIB });
  expect([space.admits(1, false), space.admits(MIB, true), space.admits(MIB + 1, true)]).toEqual([false, true, false]);
});

it('refuses turns before the journal and LMDB have written what was accepted: nothing is let in on room that is promised', async () => {
  const free = 64 * MIB;
  let follows = false;
  const begins: (() => void)[] = [];
  const archive = await openAt(place(), {
    schedule: (begin) => void (follows ? begin() : begins.push(begin)),
    limits: { freeBytesMin: 16 * MIB, segmentBytes: 1 * MIB },
    freeBytes: () => free,
  });
  const store = archive.store(0, 1);
  const put = (key: string): void => {
    const turn = store.begin();
    turn.put(key, bytes('x'.repeat(100_000)));
    turn.commit();
  };
  let taken = 0;
  expect(() => {
    for (; taken < 10_000; taken++) put(`k${taken}`);
  }).toThrow('free space is below the watermark');
  expect(taken * 100_000 * limits.storage.growthPerByte).toBeLessThan(48 * MIB);
  expect(taken).toBeGreaterThan(50);
  // A deletion joins, and what was accepted is written: then there is room again.
  const turn = store.begin();
  turn.frees = true;
  turn.del('k0');
  turn.commit();
  follows = true;
  for (const begin of begins) begin();
  await archive.drain();
  put('again');
  await archive.close();
});

it('a start below the watermark gives up the ballast and what journals had made ready, and keeps their records', async () => {
  const dataDir = place();
  await loadBallast(dataDir, 4096);
  const journal = join(dataDir, 'journal', '0000000001-host-0');
  mkdirSync(journal, { recursive: true });
  for (const name of ['1.spare', '0000000001.segment']) writeFileSync(join(journal, name), 'x');
  expect(makeRoom(dataDir, 0)).toBeNull();
  expect([existsSync(join(dataDir, 'ballast')), existsSync(join(journal, '1.spare'))]).toEqual([true, true]);
  expect(makeRoom(dataDir, NEVER)).toBeGreaterThan(0);
  const left = ['ballast', 'journal/0000000001-host-0/1.spare', 'journal/0000000001-host-0/0000000001.segment'];
  expect(left.map((name) => existsSync(join(dataDir, name)))).toEqual([false, false, true]);
});
