import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { dropBallast, loadBallast, Space } from '#storage/space.ts';
import { openAt, place } from './place.ts';

it('tells whether the disk has the room that the watermark asks for', async () => {
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
