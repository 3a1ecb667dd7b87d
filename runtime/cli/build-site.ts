/** The site of the documentation (`docs/.vitepress/`), as the package has it and `skep docs` serves it. */
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../place.ts';

const run = promisify(execFile);
/** What the site is made of, from the root. */
const SOURCES = ['docs', 'CHANGELOG.md', 'SECURITY.md', 'package.json'];
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

/**
 * Builds into `dir`, which appears as a whole or not at all; gives the folders, from the root, of the packages whose code the site holds. Rejects with VitePress's own words where a page has a dead link or cannot be
 * compiled. It works on a copy: VitePress leaves files beside its pages while it builds, and two builds would meet there.
 */
export async function buildSite(dir: string): Promise<string[]> {
  const work = mkdtempSync(join(tmpdir(), 'skep-site-'));
  const draft = `${dir}.${process.pid}`;
  try {
    for (const source of SOURCES) cpSync(`${ROOT}${source}`, join(work, source), { recursive: true });
    symlinkSync(`${ROOT}node_modules`, join(work, 'node_modules'));
    const vitepress = dirname(createRequire(import.meta.url).resolve('vitepress/package.json'));
    await run(process.execPath, [join(vitepress, 'bin/vitepress.js'), 'build', 'docs'], {
      cwd: work,
      env: { PATH: process.env['PATH'], HOME: work, NODE_ENV: 'production' },
      maxBuffer: OUTPUT_BYTES_MAX,
    }).catch((error: Error & { stdout?: string }) => {
      throw new Error(`the site of the documentation cannot be built:\n${error.stdout ?? ''}${error.message}`);
    });
    cpSync(join(work, 'site'), draft, { recursive: true });
    rmSync(dir, { recursive: true, force: true });
    renameSync(draft, dir);
    return readFileSync(join(work, 'site-packages.txt'), 'utf8').split('\n');
  } finally {
    for (const path of [work, draft]) rmSync(path, { recursive: true, force: true });
  }
}
