/** A node that serves marks its folders of files, and another one sees whether they are its own, too. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { markFolders, unshared } from '#runtime/cluster/shared-files.ts';

function twoMachines(): { readonly one: string; readonly two: string } {
  const root = mkdtempSync(join(tmpdir(), 'skep-shared-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const [one, two] = [join(root, 'n1'), join(root, 'n2')];
  for (const dir of [one, two]) mkdirSync(dir);
  return { one, two };
}

test('folders that are links to those of the other machine are shared, and each that is not is named', () => {
  const { one, two } = twoMachines();
  markFolders(one, 'life');
  expect(unshared(one, 'life')).toBe(null);
  for (const name of ['blobs', 'content', 'revisions']) {
    expect(unshared(two, 'life')).toContain(`its folder ${name} of storage.dir`);
    symlinkSync(join(one, name), join(two, name));
  }
  expect(unshared(two, 'life')).toBe(null);
  expect(unshared(two, 'another life')).toContain('blobs');
});

test('the next life takes the mark of the one before away, and no file', () => {
  const { one } = twoMachines();
  markFolders(one, 'first');
  mkdirSync(join(one, 'blobs', '7'));
  writeFileSync(join(one, 'blobs', '7', 'file'), 'x');
  markFolders(one, 'second');
  expect(readdirSync(join(one, 'blobs')).toSorted()).toEqual(['.serves-second', '7']);
  expect([unshared(one, 'first') === null, unshared(one, 'second')]).toEqual([false, null]);
});
