import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ROOT } from '#runtime/place.ts';
import { makeDirectory } from '#storage/directory.ts';
import { canMount, mountSmallDisk } from '#test/kit/small-disk.ts';

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'skep-directory-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

test('a directory and its missing parents are made, for their owner alone; one that exists is left as it is', () => {
  const path = join(folder(), 'a', 'b', 'c');
  expect(makeDirectory(path)).toBe(path);
  expect(makeDirectory(path)).toBe(path);
  for (const made of [path, join(path, '..'), join(path, '..', '..')]) expect(statSync(made).mode & 0o777).toBe(0o700);
});

test.skipIf(!canMount())('a file system that is mounted read-only is called that', async () => {
  const disk = await mountSmallDisk(join(folder(), 'disk'), 1);
  onTestFinished(() => disk.close());
  const path = join(disk.outside.replace(/^\/proc\/\d+\/root/, ''), 'a', 'b');
  disk.run(`mount -o remount,ro ${join(path, '..', '..')}`);
  const program = `import { makeDirectory } from '${ROOT}storage/directory.ts'; makeDirectory(${JSON.stringify(path)});`;
  const [nsenter, ...words] = [...disk.wrapper, process.execPath, '--input-type=module', '-e', program];
  const { status, stderr } = spawnSync(nsenter, words, { encoding: 'utf8' });
  expect(status).toBe(1);
  expect(stderr).toContain('EROFS: read-only file system, mkdir');
});
