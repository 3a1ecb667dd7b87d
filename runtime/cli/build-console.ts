/**
 * Builds the console (`console/`), a project with packages of its own that are no part of the first install. What is built is kept by a hash of its sources, and appears as a whole or not at
 * all. Nothing here is needed to serve: a build that fails leaves the node as it is, and the one before in its place.
 */
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, lstatSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { limits } from '#config/limits.ts';
import { ASSETS, STAMP, stampIn } from '#runtime/console/built-files.ts';
import { ROOT } from '../place.ts';
import { isAlive, leaveLock, takeLock } from './build-lock.ts';

const SOURCES = `${ROOT}console`;
/** Where the newest build is. */
export const DIST = join(SOURCES, 'dist');
const WAIT_MS = 500;
const LOCK = join(SOURCES, 'dist.lock');

/** Whether a build is there that was made of these sources; also where there are no sources, as in a package. */
export function isBuilt(): boolean {
  return !existsSync(join(SOURCES, 'package.json')) || stampIn(DIST) === sourcesHash();
}

/** A build of these sources is there afterwards; one that another process makes is waited for. Rejects with what the build said. */
export async function bringUpToDate(say: (text: string) => void): Promise<void> {
  if (isBuilt()) return say('console/dist holds these sources');
  const began = performance.now();
  for (let isTold = false; !(await buildConsole(say)); isTold = true) {
    if (!isTold) say('another process is building the console; waiting for it …');
    await setTimeout(WAIT_MS);
    if (isBuilt()) return say('console/dist was built by the other process');
  }
  say(`console/dist built in ${((performance.now() - began) / 1000).toFixed(1)} s`);
}

/** Installs what is missing, and builds. Gives false where another process builds. */
async function buildConsole(say: (text: string) => void): Promise<boolean> {
  const draft = `${DIST}.${process.pid}`;
  const before = `${draft}.old`;
  if (!takeLock(LOCK, `${draft}.lock`)) return false;
  try {
    await removeLeftovers();
    install(say);
    say('building the console …');
    const stamp = sourcesHash();
    const vite = join(SOURCES, 'node_modules/vite/bin/vite.js');
    await promisify(execFile)(process.execPath, [vite, 'build', '--outDir', draft, '--logLevel', 'warn'], {
      cwd: SOURCES,
      // Under any other value React is a third larger, and slower.
      env: { ...process.env, NODE_ENV: 'production' },
    });
    compress(join(draft, ASSETS));
    await writeFile(join(draft, STAMP), stamp);
    // Between two renames there is no build for a moment; while a folder is removed there would be half of one.
    if (existsSync(DIST)) await rename(DIST, before);
    await rename(draft, DIST);
    await rm(before, { recursive: true, force: true });
    return true;
  } finally {
    await rm(draft, { recursive: true, force: true });
    leaveLock(LOCK);
  }
}

/** What builds that were killed left: `dist.<number of the process>`. */
async function removeLeftovers(): Promise<void> {
  for (const name of readdirSync(SOURCES)) {
    const pid = Number(/^dist\.(\d+)(\.|$)/.exec(name)?.[1] ?? NaN);
    if (Number.isNaN(pid) || (pid !== process.pid && isAlive(pid))) continue;
    await rm(join(SOURCES, name), { recursive: true, force: true });
  }
}

/** Files of the console, and of the client that is in it. */
function sourcesHash(): string {
  const hash = createHash('sha256');
  const files = globSync(['console/src/**/*.*', 'console/*.{json,ts,html}', 'client/**/*.ts'], {
    cwd: ROOT,
    exclude: (name) => name.endsWith('node_modules') || name.endsWith('dist'),
  });
  for (const file of files.sort())
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(`${ROOT}${file}`));
  return hash.digest('hex');
}

function install(say: (text: string) => void): void {
  if (isInstalled()) return;
  // `npm ci` would empty the tree that it leads to.
  if (lstatSync(join(SOURCES, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink() === true)
    throw new Error('console/node_modules is a link to a tree that is not what console/package-lock.json names');
  say('installing the packages of the console …');
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-fund', '--no-audit', '--loglevel=error'], {
    cwd: SOURCES,
    stdio: ['ignore', 2, 2],
  });
}

interface Locked {
  readonly packages: Readonly<Record<string, { readonly integrity?: string; readonly optional?: boolean }>>;
}

/** As `install.mjs` does it for the node's own packages: packages that part for other systems may be missing. */
function isInstalled(): boolean {
  const record = join(SOURCES, 'node_modules/.package-lock.json');
  if (!existsSync(record)) return false;
  const read = (path: string): Locked => JSON.parse(readFileSync(path, 'utf8')) as Locked;
  const { packages: installed } = read(record);
  return Object.entries(read(join(SOURCES, 'package-lock.json')).packages).every(([path, wanted]) => {
    if (path === '') return true;
    const found = installed[path];
    return found === undefined ? wanted.optional === true : found.integrity === wanted.integrity;
  });
}

/** The door takes them as they are: a request compresses nothing. */
function compress(dir: string): void {
  for (const name of readdirSync(dir)) {
    const path = join(dir, name);
    const bytes = readFileSync(path);
    if (bytes.length < limits.door.compressedBytesMin) continue;
    for (const [ending, packed] of [
      ['.br', brotliCompressSync(bytes)],
      ['.gz', gzipSync(bytes, { level: 9 })],
    ] as const)
      if (packed.length < bytes.length) writeFileSync(path + ending, packed);
  }
}
