import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { logTail } from '#runtime/debug/log-tail.ts';
import { writePrivate } from '#runtime/debug/private-file.ts';
import { folderSizes } from '#runtime/debug/sizes.ts';

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'skep-debug-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  return dir;
}

test('a private file is of its owner alone, replaces none, and leaves nothing beside it', () => {
  const dir = folder();
  const path = join(dir, 'file');
  writePrivate(path, Buffer.from('one'));
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(() => writePrivate(path, Buffer.from('two'))).toThrow('is there already');
  expect(readFileSync(path, 'utf8')).toBe('one');
  expect(readdirSync(dir)).toEqual(['file']);
});

test('the end of a log begins with a whole line', () => {
  const path = join(folder(), 'log');
  writeFileSync(path, 'first line\nsecond line\nthird line\n');
  expect(logTail(path)).toBe('first line\nsecond line\nthird line\n');
  expect(logTail(path, 15)).toBe('third line\n');
});

test('sizes of a directory that is not there are none', () => {
  expect(folderSizes(join(folder(), 'none'))).toEqual([]);
});
