/**
 * What `npm start` runs first, in a folder where nothing is installed yet and with an older Node on the PATH: a shell that has found `node` once
 * asks for it at the same place again, although the installation has put the project's own before it; `env` looks anew.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ROOT } from '#runtime/place.ts';

const { scripts } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as { scripts: Record<string, string> };
const dir = mkdtempSync(join(tmpdir(), 'skep-first-start-'));
const OWN = join(dir, 'node_modules/.bin');

afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** A program of this name that tells its arguments. */
function tells(folder: string, name: string, line: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), `#!/bin/sh\n${line}\n`);
  chmodSync(join(folder, name), 0o755);
}

test('is run by the own Node, but for the installation', () => {
  const old = join(dir, 'old');
  const install = `mkdir -p '${OWN}' && cp '${join(dir, 'own-node')}' '${join(OWN, 'node')}'`;
  tells(dir, 'own-node', 'echo "own $*"');
  tells(old, 'node', `echo "old $*"; ${install}`);
  tells(old, 'npm', 'echo "npm $*"');
  const env = { PATH: [OWN, old, '/usr/bin', '/bin'].join(':') };
  const { status, stdout, stderr } = spawnSync('sh', ['-c', scripts['prestart']!], { cwd: dir, env, encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout.split('\n').map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
    'old runtime/cli/install.mjs',
    'npm run',
    'own runtime/cli/console.ts',
    '',
  ]);
});
