/** The lock of the console's build: one process builds, and none that ended, or that never wrote its number, holds the next one up. */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { LOCK_MS_MAX, isAlive, leaveLock, takeLock } from '#runtime/cli/build-lock.ts';

const OWN = String(process.pid);

function place(): { readonly dir: string; readonly path: string; readonly take: () => boolean } {
  const dir = mkdtempSync(join(tmpdir(), 'skep-lock-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const path = join(dir, 'lock');
  return { dir, path, take: () => takeLock(path, join(dir, 'own')) };
}

test('it is taken with the number in it, leaves nothing beside it, and is left', () => {
  const { dir, path, take } = place();
  expect(take()).toBe(true);
  expect(readFileSync(path, 'utf8')).toBe(OWN);
  expect(readdirSync(dir)).toEqual(['lock']);
  leaveLock(path);
  expect(existsSync(path)).toBe(false);
  leaveLock(path);
});

test('of a process that lives it is neither taken nor left', () => {
  const { dir, path, take } = place();
  writeFileSync(path, String(process.ppid));
  expect(take()).toBe(false);
  leaveLock(path);
  expect(readdirSync(dir)).toEqual(['lock']);
  expect(readFileSync(path, 'utf8')).toBe(String(process.ppid));
});

test.each([
  ['empty', ''],
  ['without a number', 'words'],
  ['of a process that ended', String(spawnSync(process.execPath, ['--version']).pid)],
])('%s it is taken over', (_, text) => {
  const { dir, path, take } = place();
  writeFileSync(path, text);
  expect(take()).toBe(true);
  expect(readFileSync(path, 'utf8')).toBe(OWN);
  expect(readdirSync(dir)).toEqual(['lock']);
});

test('it is taken over where it cannot be read', () => {
  const { path, take } = place();
  mkdirSync(path);
  expect(take()).toBe(true);
  expect(readFileSync(path, 'utf8')).toBe(OWN);
});

test('it is taken over when it is older than a build can be', () => {
  const { path, take } = place();
  writeFileSync(path, String(process.ppid));
  const then = (Date.now() - LOCK_MS_MAX - 60_000) / 1000;
  utimesSync(path, then, then);
  expect(take()).toBe(true);
});

test('a process that may not be signalled lives', () => {
  const kill = vi.spyOn(process, 'kill').mockImplementation(() => {
    throw Object.assign(new Error('not permitted'), { code: 'EPERM' });
  });
  onTestFinished(() => kill.mockRestore());
  expect(isAlive(1)).toBe(true);
});
