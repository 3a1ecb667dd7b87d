import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { DirectoryPlace } from '#storage/backup-set/directory-place.ts';
import { placeCases, stored } from './place.cases.ts';

function freshDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'skep-place-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return join(directory, 'place');
}

placeCases(async () => new DirectoryPlace(freshDirectory()));

test('parts and sets are for their owner alone', async () => {
  const root = freshDirectory();
  const place = new DirectoryPlace(root);
  const name = await stored(place, 'secret');
  expect(statSync(root).mode & 0o777).toBe(0o700);
  expect(statSync(join(root, 'parts', name.slice(0, 2), name)).mode & 0o777).toBe(0o600);
});
