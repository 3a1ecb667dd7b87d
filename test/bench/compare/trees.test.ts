import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkOut } from '#bench/compare/trees.ts';

let root = '';
const git = (...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=bench', '-c', 'user.email=bench@example.org', ...args], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
const write = (path: string, text: string): void => writeFileSync(join(root, path), text);
const commit = (): void => {
  git('add', '.');
  git('commit', '-qm', 'one more');
};

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'skep-trees-'));
  git('init', '-q');
  write('.gitignore', 'node_modules\n');
  write('package-lock.json', '{"first":1}');
  write('code', 'old');
  commit();
  mkdirSync(join(root, 'node_modules'));
  write('node_modules/mark', 'linked');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test('a commit is checked out beside the working tree, with its packages, and goes without a trace', () => {
  write('code', 'new');
  const base = checkOut(root, 'HEAD');
  expect(readFileSync(join(base.root, 'code'), 'utf8')).toBe('old');
  expect(readFileSync(join(base.root, 'node_modules/mark'), 'utf8')).toBe('linked');
  expect(git('rev-parse', 'HEAD')).toContain(base.commit);
  base.remove();
  expect(existsSync(base.root)).toBe(false);
  expect(readFileSync(join(root, 'node_modules/mark'), 'utf8')).toBe('linked');
  expect(git('worktree', 'list').trim().split('\n')).toHaveLength(1);
});

test('other packages and an unknown commit are refused with how to mend it, and leave nothing', () => {
  write('package-lock.json', '{"second":2}');
  expect(() => checkOut(root, 'HEAD')).toThrow(/HEAD has another package-lock.json[^]*compare with a commit/);
  expect(() => checkOut(root, 'nowhere')).toThrow('git knows no commit nowhere');
  expect(() => checkOut(root, '--help')).toThrow('git knows no commit --help');
  expect(git('worktree', 'list').trim().split('\n')).toHaveLength(1);
});
