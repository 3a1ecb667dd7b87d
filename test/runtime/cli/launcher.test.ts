/** The launcher in the package: which Node it takes, and which it refuses. In a clone every other test of the command line starts it. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ROOT } from '#runtime/place.ts';
import type { Lock } from '#runtime/cli/exact-versions.ts';
import { packageJson } from '#runtime/cli/pack-release.ts';

const WORKSPACE = {
  name: 'skep',
  version: '1.2.3',
  description: 'a server',
  license: 'Apache-2.0',
  type: 'module',
  bin: { skep: 'runtime/cli/skep' },
  dependencies: { node: '22.23.3', lmdb: '3.5.6', yaml: '2.9.1', 'uWebSockets.js': 'npm:uws-pack@20.0.8' },
  optionalDependencies: { sharp: '0.35.5' },
};

const LOCK = JSON.parse(readFileSync(`${ROOT}package-lock.json`, 'utf8')) as Lock;

/** Runs the launcher of a package whose program says what it was given; the `node` in PATH is of this version, or missing. `cores`: what `nproc` says; there is none without. */
function launch(version: string | null, cores: number | null = null) {
  const dir = mkdtempSync(join(tmpdir(), 'skep-launcher-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  for (const folder of ['runtime/cli', 'bin', 'links']) mkdirSync(join(dir, folder), { recursive: true });
  copyFileSync(`${ROOT}runtime/cli/skep`, join(dir, 'runtime/cli/skep'));
  symlinkSync('../runtime/cli/skep', join(dir, 'links/skep'));
  writeFileSync(join(dir, 'package.json'), JSON.stringify(packageJson(WORKSPACE, LOCK), null, 2));
  const node = `#!/bin/sh\n[ "$1" = --version ] && echo "${version}" && exit\necho "$UV_THREADPOOL_SIZE $@"\n`;
  if (version !== null) writeFileSync(join(dir, 'bin/node'), node, { mode: 0o755 });
  if (cores !== null) writeFileSync(join(dir, 'bin/nproc'), `#!/bin/sh\necho ${cores}\n`, { mode: 0o755 });
  for (const tool of ['sh', 'sed', 'readlink', 'dirname']) symlinkSync(`/bin/${tool}`, join(dir, 'bin', tool));
  const { status, stdout, stderr } = spawnSync(join(dir, 'links/skep'), ['demo', '-l', 'a b'], {
    env: { PATH: join(dir, 'bin') },
    encoding: 'utf8',
  });
  return { status, stdout: stdout.replace(dir, '<package>'), stderr };
}

test.each(['v22.12.0', 'v22.23.3', 'v24.0.0', 'v100.1.0'])('starts the bundled program on Node %s', (version) => {
  const stdout = '64 --v8-pool-size=4 --disable-warning=ExperimentalWarning <package>/dist/skep.js demo -l a b\n';
  expect(launch(version)).toEqual({ status: 0, stdout, stderr: '' });
});

test.each([
  [1, 1],
  [2, 1],
  [3, 2],
  [4, 3],
  [5, 4],
  [64, 4],
])('of %i cores V8 may use so many helpers beside the node: %i', (cores, helpers) => {
  expect(launch('v22.12.0', cores).stdout).toContain(` --v8-pool-size=${helpers} --disable`);
});

test.each([
  ['v22.11.0', 'v22.11.0'],
  ['v20.20.2', 'v20.20.2'],
  ['v8.17.0', 'v8.17.0'],
  [null, 'none'],
])('refuses Node %s in one line', (version, said) => {
  const stderr = `skep: needs Node 22.12 or newer, and the node in PATH is ${said}: install one, and put it first in PATH\n`;
  expect(launch(version)).toEqual({ status: 1, stdout: '', stderr });
});

test('the package asks for what the bundles leave outside, and for the addon only where it is wanted', () => {
  expect(packageJson(WORKSPACE, LOCK)).toMatchObject({
    name: 'skep',
    version: '1.2.3',
    bin: { skep: 'runtime/cli/skep' },
    engines: { node: '>=22.12' },
    dependencies: { lmdb: '3.5.6' },
    peerDependencies: { 'uWebSockets.js': '20.0.8', sharp: '0.35.5' },
    peerDependenciesMeta: { 'uWebSockets.js': { optional: true }, sharp: { optional: true } },
  });
  const { dependencies } = packageJson(WORKSPACE, LOCK) as { dependencies: object };
  for (const name of ['node', 'yaml', 'uWebSockets.js', 'sharp']) expect(dependencies).not.toHaveProperty([name]);
});
