/** Which packages `install.mjs` asks npm for, over lock files that are written here and a command `npm` that says what it was asked. */
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ROOT } from '#runtime/place.ts';

const NEEDED = { 'node_modules/a': { integrity: 'sha512-a' }, 'node_modules/b': { integrity: 'sha512-b' } };
const OF_TESTS = { 'node_modules/t': { integrity: 'sha512-t', dev: true } };

/** What npm was asked for, where these packages are installed; null where nothing is. '' where it was not asked. */
function asked(installed: object | null, word: string): string {
  const dir = mkdtempSync(join(tmpdir(), 'skep-install-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  for (const folder of ['runtime/cli', 'bin']) mkdirSync(join(dir, folder), { recursive: true });
  copyFileSync(join(ROOT, 'runtime/cli/install.mjs'), join(dir, 'runtime/cli/install.mjs'));
  writeFileSync(join(dir, 'package-lock.json'), JSON.stringify({ packages: { '': {}, ...NEEDED, ...OF_TESTS } }));
  if (installed !== null) {
    mkdirSync(join(dir, 'node_modules/.bin'), { recursive: true });
    writeFileSync(join(dir, 'node_modules/.bin/node'), '');
    writeFileSync(join(dir, 'node_modules/.package-lock.json'), JSON.stringify({ packages: installed }));
  }
  const npm = join(dir, 'bin/npm');
  writeFileSync(npm, `#!/bin/sh\necho "$*" > "${dir}/asked"\n`);
  chmodSync(npm, 0o755);
  writeFileSync(join(dir, 'asked'), '');
  const env = { PATH: `${join(dir, 'bin')}:/usr/bin:/bin` };
  execFileSync(process.execPath, [join(dir, 'runtime/cli/install.mjs'), word], { env, stdio: 'ignore' });
  return execFileSync('cat', [join(dir, 'asked')], { encoding: 'utf8' }).replace(/ --no-fund.*\n/, '');
}

test.each<[string, object | null, string, string]>([
  ['nothing is there, for a start', null, 'start', 'ci --omit=dev'],
  ['nothing is there, for the rest', null, '', 'ci'],
  ['what a node needs is there, for a start', NEEDED, 'start', ''],
  ['what a node needs is there, for the rest', NEEDED, '', 'install --no-save'],
  [
    'a part of that, for a start',
    { 'node_modules/a': NEEDED['node_modules/a'] },
    'start',
    'install --no-save --omit=dev',
  ],
  [
    'all but one, for a start: none is taken away',
    { ...OF_TESTS, 'node_modules/a': NEEDED['node_modules/a'] },
    'start',
    'install --no-save',
  ],
  ['all is there', { ...NEEDED, ...OF_TESTS }, '', ''],
])('%s', (_name, installed, word, wanted) => {
  expect(asked(installed, word)).toBe(wanted);
});
