import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { withCredentials } from '#config/credentials.ts';

function folder(files: Readonly<Record<string, string>>): string {
  const dir = mkdtempSync(join(tmpdir(), 'skep-credentials-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
  return dir;
}

test('each credential is a variable, without the line end of its file; the environment outranks it', () => {
  const dir = folder({ TOKEN: 'a secret\n', WINDOWS: 'b\r\n', TWO: 'c\nd\n', OVER: 'file' });
  mkdirSync(join(dir, 'FOLDER'));
  expect(withCredentials({ CREDENTIALS_DIRECTORY: dir, OVER: 'environment' })).toEqual({
    CREDENTIALS_DIRECTORY: dir,
    TOKEN: 'a secret',
    WINDOWS: 'b',
    TWO: 'c\nd',
    OVER: 'environment',
  });
});

test('a Secret that Kubernetes mounts is read: its keys are links into a folder', () => {
  const dir = folder({});
  mkdirSync(join(dir, '..2026_11_25'));
  writeFileSync(join(dir, '..2026_11_25', 'TOKEN'), 'a secret');
  symlinkSync('..2026_11_25', join(dir, '..data'));
  symlinkSync('..data/TOKEN', join(dir, 'TOKEN'));
  expect(withCredentials({ CREDENTIALS_DIRECTORY: dir })).toEqual({ CREDENTIALS_DIRECTORY: dir, TOKEN: 'a secret' });
});

test('without credentials the environment stays as it is', () => {
  const env = { HOME: '/srv/a' };
  expect(withCredentials(env)).toBe(env);
  expect(withCredentials({ CREDENTIALS_DIRECTORY: '' })).toEqual({ CREDENTIALS_DIRECTORY: '' });
});

test('a folder that cannot be read is told', () => {
  expect(() => withCredentials({ CREDENTIALS_DIRECTORY: '/nowhere/at/all' })).toThrow(/ENOENT/);
});
