import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dropBallast, loadBallast, Space } from '#storage/space.ts';
import { place } from './place.ts';

test('the ballast takes its room once and gives it back', async () => {
  const dir = place();
  const path = join(dir, 'ballast');
  await loadBallast(dir, 65_536);
  expect(statSync(path).size).toBe(65_536);
  expect(statSync(path).blocks * 512).toBeGreaterThanOrEqual(65_536);

  await loadBallast(dir, 131_072);
  expect(statSync(path).size).toBe(65_536);
  dropBallast(dir);
  expect(existsSync(path)).toBe(false);
});

test('no ballast is wanted: no file', async () => {
  const dir = place();
  await loadBallast(dir, 0);
  expect(existsSync(join(dir, 'ballast'))).toBe(false);
});

test('a directory below the watermark has no room', async () => {
  const space = new Space(place(), { freeBytesMin: Number.MAX_SAFE_INTEGER });
  await space.check();
  expect(space.freeBytes).toBeGreaterThan(0);
  expect(space.hasRoom).toBe(false);
  space.close();
});
