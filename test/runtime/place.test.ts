/** Programs start from sources, or from bundles that hold the same: what a bundle names must lie where it looks. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test, vi } from 'vitest';
import { buildPrograms, programSources } from '#runtime/cli/build-programs.ts';
import { programUrl, ROOT } from '#runtime/place.ts';

afterEach(() => vi.unstubAllEnvs());

test('every program has a bundle, and every source that a thread or process is started from is a program', () => {
  for (const source of programSources()) {
    expect(existsSync(`${ROOT}${source}`), source).toBe(true);
    expect(existsSync(fileURLToPath(programUrl(source))), source).toBe(true);
    expect(basename(programUrl(source).pathname)).toBe(`${basename(source, '.ts')}.js`);
  }
});

test('without SKEP_DIST the sources are started', () => {
  vi.stubEnv('SKEP_DIST', '');
  expect(fileURLToPath(programUrl('runtime/threads/tenant-host.worker.ts'))).toBe(
    `${ROOT}runtime/threads/tenant-host.worker.ts`,
  );
});

test('the bundled command line is the same program: it finds its version, its demo and its help', () => {
  const run = (dist: string): string =>
    execFileSync(`${ROOT}runtime/cli/skep`, ['version'], {
      env: { ...process.env, SKEP_DIST: dist },
      encoding: 'utf8',
    });
  expect(run(`${ROOT}dist`)).toBe(run(''));
});

test('bundles of the same sources stay as they are; others are built anew, whole', { timeout: 120_000 }, async () => {
  const dir = `${ROOT}dist.test`;
  const stamp = (): string => readFileSync(`${dir}/sources.sha256`, 'utf8');
  rmSync(dir, { recursive: true, force: true });
  try {
    expect(await buildPrograms(dir)).toBe(true);
    const before = stamp();
    expect(await buildPrograms(dir)).toBe(false);
    expect(stamp()).toBe(before);
    rmSync(`${dir}/sources.sha256`);
    expect(await buildPrograms(dir)).toBe(true);
    expect(programSources().every((source) => existsSync(`${dir}/${basename(source, '.ts')}.js`))).toBe(true);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});
