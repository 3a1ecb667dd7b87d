import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { DirectoryPlace } from '#storage/backup-set/directory-place.ts';
import { placeCases, stored } from './place.cases.ts';

function freshDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'skep-place-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

placeCases(async () => new DirectoryPlace(freshDirectory()));

test('a directory that is not there takes nothing: its disk may not be mounted', async () => {
  const root = join(freshDirectory(), 'not-mounted');
  await expect(new DirectoryPlace(root).begin()).rejects.toThrow('is its disk mounted?');
  expect(existsSync(root)).toBe(false);
  expect(await new DirectoryPlace(root).sets()).toEqual([]);
});

test('parts and sets are for their owner alone', async () => {
  const root = freshDirectory();
  const place = new DirectoryPlace(root);
  const name = await stored(place, 'secret');
  expect(statSync(root).mode & 0o777).toBe(0o700);
  expect(statSync(join(root, 'parts', name.slice(0, 2), name)).mode & 0o777).toBe(0o600);
});
