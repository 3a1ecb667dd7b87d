/**
 * The files of the image, laid out in a folder: Node, the C libraries that it and the native parts need, the package with what it depends on.
 * There is no shell, no package manager and no other program in it.
 */
import { execFile } from 'node:child_process';
import { chmodSync, cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../place.ts';
import { IMAGE, PLATFORM_FILE } from './image-facts.ts';

const run = promisify(execFile);

/** What Node is linked with; the native parts need no more. Node brings its own certificate authorities and time zones. */
const LIBRARIES = ['libc6', 'libgcc-s1', 'libstdc++6'];
/** Of Debian's packages: the libraries, their licences, and their names and versions, by which scanners know them. */
const KEPT = ['lib', 'lib64', 'usr/lib/*/libstdc++.so.6*', 'usr/share/doc/*/copyright', 'var/lib/dpkg/status.d'];
/** Notes the control file of each package, as images without dpkg do. */
const NOTE_PACKAGES = `mkdir -p "$1/var/lib/dpkg/status.d" && for deb in "$1"/var/cache/apt/archives/*.deb; do
  dpkg-deb --field "$deb" > "$1/var/lib/dpkg/status.d/$(dpkg-deb --field "$deb" Package)"; done`;

/** Makes images in other sizes, and takes 20 MB: for an image of one's own (docs/operate/container.md). */
export const LEFT_OUT = 'sharp';

/** Of an installed package, for `isOfImage`. */
export interface Machine {
  readonly arch: string;
  /** The version of Node's binary interface (`process.versions.modules`). */
  readonly modules: string;
}

/** Lays out `tree`. `packed`: the unpacked package; `scratch`: a folder for what is not kept. Rejects with what a tool said. */
export async function layOut(tree: string, packed: string, scratch: string): Promise<void> {
  await layLibraries(tree, `${scratch}/debian`);
  layProgram(`${tree}${IMAGE.program}`, packed, { arch: process.arch, modules: process.versions.modules });
  place(tree, IMAGE.node, readFileSync(nodeBinary()), 0o755);
  // The loader of a script takes one argument; without a shell the launcher of the package could not run.
  place(
    tree,
    IMAGE.command,
    `#!${IMAGE.node} --disable-warning=ExperimentalWarning\nimport('${IMAGE.program}/dist/skep.js');\n`,
    0o755,
  );
  place(tree, IMAGE.platformFile, PLATFORM_FILE);
  const { uid, user, volume, debian } = IMAGE;
  place(tree, '/etc/passwd', `root:x:0:0:root:/root:/none\n${user}:x:${uid}:${uid}:Skep:${volume}:/none\n`);
  place(tree, '/etc/group', `root:x:0:\n${user}:x:${uid}:\n`);
  place(tree, '/etc/nsswitch.conf', 'passwd: files\ngroup: files\nhosts: files dns\n');
  const { suite, version } = debian;
  place(
    tree,
    '/etc/os-release',
    `PRETTY_NAME="Debian GNU/Linux ${version} (${suite})"\nNAME="Debian GNU/Linux"\nVERSION_ID="${version}"\nID=debian\n`,
  );
  mkdirSync(`${tree}/tmp`, { mode: 0o1777 });
  chmodSync(`${tree}/tmp`, 0o1777); // the umask took some of it
}

/** Debian's libraries, fetched and checked by its own tools. */
async function layLibraries(tree: string, dir: string): Promise<void> {
  const hook = `--extract-hook=${NOTE_PACKAGES}`;
  const args = ['--quiet', '--variant=extract', `--include=${LIBRARIES.join()}`, hook, IMAGE.debian.suite, dir];
  await run('mmdebstrap', args);
  for (const path of globSync(KEPT, { cwd: dir }))
    cpSync(join(dir, path), join(tree, path), { recursive: true, verbatimSymlinks: true });
}

/** The package, and of the packages that it runs with the files that this machine loads, in the versions that the lock file names. */
function layProgram(dir: string, packed: string, machine: Machine): void {
  cpSync(packed, dir, { recursive: true });
  const { dependencies, peerDependencies } = manifestOf(packed);
  const names = Object.keys({ ...dependencies, ...peerDependencies }).filter((name) => name !== LEFT_OUT);
  for (const folder of foldersOf(names))
    cpSync(`${ROOT}${folder}`, `${dir}/${folder}`, {
      recursive: true,
      filter: (path) => isOfImage(relative(ROOT, path).slice(folder.length), machine),
    });
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const manifestOf = (folder: string): Manifest => JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as Manifest;

/** The folders, from the root, of these installed packages and of all that they depend on. Throws where one is missing that has to be there. */
function foldersOf(names: readonly string[]): string[] {
  const found = new Set<string>();
  const take = (name: string, from: string, mayLack: boolean): void => {
    const folder = folderOf(name, from);
    if (folder === null && mayLack) return; // of another system
    if (folder === null) throw new Error(`${from || 'skep'} needs the package ${name}, which is not installed: npm ci`);
    if (found.has(folder)) return;
    found.add(folder);
    const { dependencies = {}, optionalDependencies = {} } = manifestOf(`${ROOT}${folder}`);
    for (const one of Object.keys({ ...dependencies, ...optionalDependencies }))
      take(one, folder, Object.hasOwn(optionalDependencies, one));
  };
  for (const name of names) take(name, '', false);
  return [...found].sort();
}

/** Where Node would find the package that one in the folder `from` names: beside it or further up. */
function folderOf(name: string, from: string): string | null {
  const folder = join(from, 'node_modules', name);
  if (existsSync(`${ROOT}${folder}/package.json`)) return folder;
  return from === '' ? null : folderOf(name, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))));
}

/** Whether an installed package's file has a use in the image: not types, maps and C sources, not binaries of other systems, no packages within. */
export function isOfImage(path: string, { arch, modules }: Machine): boolean {
  if (/\.(?:d\.[cm]?ts|map|c|cc|cpp|h|hpp|gyp|gypi)$|\/node_modules(?:\/|$)|musl/.test(path)) return false;
  const uws = /\/uws_(\w+)\.node$/.exec(path)?.[1];
  if (uws !== undefined) return uws === `linux_${arch}_${modules}`;
  const abi = /\.abi(\d+)\./.exec(path)?.[1];
  return abi === undefined || abi === modules;
}

/** The binary of the npm package `node`, the version that the project is tested with. */
function nodeBinary(): string {
  return `${dirname(createRequire(import.meta.url).resolve('node/package.json'))}/bin/node`;
}

function place(tree: string, path: string, content: string | Uint8Array, mode = 0o644): void {
  mkdirSync(dirname(`${tree}${path}`), { recursive: true });
  writeFileSync(`${tree}${path}`, content, { mode });
}
