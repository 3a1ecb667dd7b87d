/**
 * Bundles every program of the node into a folder: the command line, each thread, each process; and the client for pages of new products. A bundle loads in a quarter of the time of a
 * thousand source files, since these are located, stripped of their types and linked once here instead of in every thread.
 */
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, relative } from 'node:path';
import { rolldown, type Plugin } from 'rolldown';
import { buildClient } from './build-client.ts';
import { CLIENT_DECLARATIONS, CLIENT_MODULE } from './client-files.ts';
import { fasterToLoad } from './faster-to-load.ts';
import { shareChunks } from './share-chunks.ts';
import { bundledCities } from './bundled-cities.ts';
import { ROOT } from '../place.ts';

/**
 * Packages that stay outside of the bundles: those with native code or WebAssembly files, and those that look for their own files or are loaded by
 * `require`. All others are bundled.
 */
export const OUTSIDE: readonly string[] = [
  '@node-rs/argon2',
  '@node-rs/bcrypt',
  'jq-wasm',
  'koffi',
  'libpg-query',
  'lmdb',
  'msgpackr',
  'pino',
  'quickjs-wasi',
  'rotating-file-stream',
  'snowball-stemmers',
  'sharp',
  'undici',
  'uWebSockets.js',
];

/** Shorter expressions, with every function by its name. */
const COMPRESSED = { keepNames: { function: true, class: true } } as const;

/** The file, beside the bundles, with the names of their sources. */
export const STAMP = 'sources.sha256';
/** The file, beside the bundles, with the folders of the packages that they hold code of, from the root. */
export const PACKAGES = 'bundled-packages.txt';

const isOutside = (id: string): boolean =>
  id.startsWith('node:') || OUTSIDE.some((name) => id === name || id.startsWith(`${name}/`));

/** A module with a library that several programs load when they need it: one bundle for all of them, beside theirs. */
const DATABASE_CLIENT = 'storage/log-engine/postgres/client.ts';
const DATABASE_BUNDLE = 'database-client';

const sharedClient: Plugin = {
  name: 'shared-client',
  resolveId: (source, importer) =>
    importer !== undefined && source === './client.ts' && importer.startsWith(`${ROOT}${dirname(DATABASE_CLIENT)}/`)
      ? { id: `./${DATABASE_BUNDLE}.js`, external: true }
      : null,
};

/** Sources of the programs, named from the root. `runtime/embed.ts` is what the package exports; tests and benches take `runtime/node.ts`. */
export function programSources(): string[] {
  return [
    'runtime/cli/skep.ts',
    'runtime/embed.ts',
    'runtime/node.ts',
    ...globSync('runtime/**/*.{worker,job,process}.ts', { cwd: ROOT }),
  ];
}

/**
 * Builds into `dir`, which must be one folder below the root and appears as a whole or not at all. Gives whether it had to build: bundles of these
 * sources stay. `compact`: without white space, a sixth less to install, for those who have no sources beside it.
 */
export async function buildPrograms(dir: string, compact = false): Promise<boolean> {
  const stamp = sourcesHash();
  if (stampOf(dir) === stamp) return false;
  const draft = `${dir}.${process.pid}`;
  await rm(draft, { recursive: true, force: true });
  const modules = await Promise.all([
    ...groupsOf(programSources(), compact).map(([name, sources]) => buildGroup(name, sources, draft, compact)),
    buildGroup(DATABASE_BUNDLE, [DATABASE_CLIENT], draft, compact),
  ]);
  if (compact) shareChunks(draft);
  const [client, declarations] = await buildClient();
  await writeFile(`${draft}/${CLIENT_MODULE}`, client);
  await writeFile(`${draft}/${CLIENT_DECLARATIONS}`, declarations);
  await writeFile(`${draft}/${PACKAGES}`, packagesOf(modules.flat()).join('\n'));
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
  const files = globSync('{config,storage,actors,runtime,client}/**/*.ts', { cwd: ROOT }).sort();
  for (const file of ['package-lock.json', 'client/package.json', ...files])
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(`${ROOT}${file}`));
  return hash.digest('hex');
}

/** The folders of packages that these modules are of, from the root. */
function packagesOf(modules: readonly string[]): string[] {
  const folders = modules.flatMap((id) => /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1] ?? []);
  return [...new Set(folders)].map((folder) => relative(ROOT, folder)).sort();
}

/** Programs that a main thread runs: the command line, a program with a node in it, what they start as processes. */
const OF_MAIN = /^runtime\/(?:embed|cli\/skep|.*\.process)\.ts$/;

const nameOf = (source: string): string => basename(source, '.ts');
const inputsOf = (sources: readonly string[]): Record<string, string> =>
  Object.fromEntries(sources.map((source) => [nameOf(source), `${ROOT}${source}`]));

/**
 * Which programs are bundled together, under a name. One of its own each, so that a thread reads little more than it runs; in a package those of main share
 * their code, a twentieth of what there is to install.
 */
function groupsOf(sources: readonly string[], compact: boolean): [string, readonly string[]][] {
  const apart = (compact ? sources.filter((source) => !OF_MAIN.test(source)) : sources).map(
    (source): [string, readonly string[]] => [nameOf(source), [source]],
  );
  return compact ? [['main', sources.filter((source) => OF_MAIN.test(source))], ...apart] : apart;
}

/** Gives the modules that the bundle holds code of. */
async function buildGroup(name: string, sources: readonly string[], dir: string, compact: boolean): Promise<string[]> {
  const [only] = sources;
  const input = sources.length === 1 ? { [name]: `${ROOT}${only}` } : inputsOf(sources);
  const bundle = await rolldown({
    input,
    cwd: ROOT,
    platform: 'node',
    external: isOutside,
    plugins: [sharedClient, fasterToLoad, bundledCities(compact)],
    checks: { ineffectiveDynamicImport: false },
    logLevel: 'warn',
  });
  try {
    const { output } = await bundle.write({
      dir,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: `${name}-[name]-[hash].js`,
      // Fewer bytes to read and to install; the licences of bundled packages are in the package's NOTICES.txt.
      comments: { jsdoc: false, legal: false },
      // Names of functions and classes stay, so that a stack says which one it was; those of variables are shortened.
      ...(compact
        ? { minify: { compress: COMPRESSED, mangle: { keepNames: true }, codegen: { removeWhitespace: true } } }
        : {}),
    });
    return output.flatMap((part) => (part.type === 'chunk' ? part.moduleIds : []));
  } finally {
    await bundle.close();
  }
}
