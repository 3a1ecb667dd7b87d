/**
 * The package that npm installs: bundles, the launcher, the console, the demo's definitions, the templates of `skep new` and the declarations of `runtime/embed.ts`. Its package.json is
 * made from the workspace's, so that nothing is written down twice. What docs/package.md promises of it, `test/scenario/package.test.ts` proves.
 */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../place.ts';
import { PACKED_CONSOLE } from '#runtime/console/packed-build.ts';
import { PACKED_SITE, packSite } from '#runtime/site/site-files.ts';
import { commitOf } from '../version.ts';
import { billOfMaterials, type PackedPackage } from './bill-of-materials.ts';
import { DIST as CONSOLE, bringUpToDate } from './build-console.ts';
import { OUTSIDE, PACKAGES, STAMP, buildPrograms } from './build-programs.ts';
import { buildSite } from './build-site.ts';
import { exactVersions, type Lock } from './exact-versions.ts';
import { noticesOf } from './notices.ts';

const run = promisify(execFile);

/** What an operator that wants it installs beside the package: the door's addon, which is large and has a twin on node:http, and what makes images in other sizes. */
const OPTIONAL: readonly string[] = ['uWebSockets.js', 'sharp'];
const EMBEDDING = 'runtime/embed.ts';
/** The first Node 22 with long-term support that has what the bundles import (`crc32`, `getBuiltinModule`, `require` of modules). */
const NODE_LEAST = '22.12';
/** What the package holds and needs, as CycloneDX; the name is the one that its tools look for. */
const BILL = 'bom.json';
/** What a build of the console has beside its texts. */
const NO_TEXTS = /\.(?:br|gz)$/;
/** Files of the workspace, by their path in the package. */
const COPIES: Readonly<Record<string, string>> = {
  LICENSE: 'LICENSE',
  'README.md': 'docs/package.md',
  'config/samples/demo': 'config/samples/demo',
  'config/samples/templates': 'config/samples/templates',
  'runtime/cli/skep': 'runtime/cli/skep',
  schemas: 'docs/schemas',
};

interface Workspace {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly type: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

/**
 * Builds the package in `dir`, which must be one folder below the root and is made anew: `package/` holds it unpacked. Gives the path of the
 * file that npm packed. Rejects where the declarations name files that the package does not hold.
 */
export async function packRelease(dir: string): Promise<string> {
  const out = `${dir}/package`;
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const programs = `${dir}/programs`;
  await buildPrograms(programs, true);
  cpSync(programs, `${out}/dist`, { recursive: true, filter: (path) => isPackedProgram(basename(path)) });
  for (const [to, from] of Object.entries(COPIES))
    cpSync(`${ROOT}${from}`, `${out}/${to}`, { recursive: true, filter: (path) => !path.endsWith('.ts') });
  writeFileSync(`${out}/dist/embed.d.ts`, await declarations(dir));
  await bringUpToDate(() => undefined);
  cpSync(CONSOLE, `${dir}/console`, { recursive: true, filter: (path) => !NO_TEXTS.test(path) });
  writeFileSync(`${out}/${PACKED_CONSOLE}`, packSite(`${dir}/console`));
  const site = await buildSite(`${dir}/site`);
  writeFileSync(`${out}/${PACKED_SITE}`, packSite(`${dir}/site`));
  const [bundled, shown] = [programs, CONSOLE].map((from) => readFileSync(`${from}/${PACKAGES}`, 'utf8').split('\n'));
  writeFileSync(`${out}/NOTICES.txt`, noticesOf([...bundled!, ...site, ...shown!]));
  const workspace = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as Workspace;
  const lock = JSON.parse(readFileSync(`${ROOT}package-lock.json`, 'utf8')) as Lock;
  const packed = { ...packageJson(workspace, lock), madeFrom: commitOf() };
  writeFileSync(`${out}/package.json`, `${JSON.stringify(packed, null, 2)}\n`);
  writeFileSync(`${out}/${BILL}`, billOfMaterials({ bundled: bundled!, console: shown!, site, packed }));
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', dir, out], { cwd: dir });
  const [file] = JSON.parse(stdout) as { readonly filename: string }[];
  return join(dir, file!.filename);
}

/** The bundle of `runtime/node.ts` is for tests and benches. */
function isPackedProgram(name: string): boolean {
  return name !== 'node.js' && !name.startsWith('node-') && name !== STAMP && name !== PACKAGES;
}

/** What the package says of itself. */
export function packageJson(
  { name, version, description, license, type, bin, dependencies, optionalDependencies }: Workspace,
  lock: Lock,
): PackedPackage & Readonly<Record<string, unknown>> {
  const needed = OUTSIDE.filter((dependency) => !OPTIONAL.includes(dependency));
  const versions = { ...dependencies, ...optionalDependencies };
  const fitting = OPTIONAL.map((one) => [one, versions[one]!.replace(/^npm:.*@/, '')]);
  return {
    name,
    version,
    description,
    license,
    type,
    bin,
    engines: { node: `>=${NODE_LEAST}` },
    exports: {
      '.': { types: './dist/embed.d.ts', default: './dist/embed.js' },
      './package.json': './package.json',
    },
    files: ['dist', PACKED_CONSOLE, PACKED_SITE, 'NOTICES.txt', BILL, ...Object.keys(COPIES)],
    dependencies: exactVersions(lock, needed),
    peerDependencies: Object.fromEntries(fitting),
    peerDependenciesMeta: Object.fromEntries(OPTIONAL.map((one) => [one, { optional: true }])),
  };
}

/** The declarations of the module that the package exports: one file, which names no other. */
async function declarations(dir: string): Promise<string> {
  const outDir = `${dir}/declarations`;
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    noCheck: true,
    rootDir: ROOT,
    outDir,
  };
  const project = `${dir}/tsconfig.json`;
  writeFileSync(
    project,
    JSON.stringify({ extends: '../tsconfig.json', compilerOptions, include: [], files: [`../${EMBEDDING}`] }),
  );
  const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
  await run(process.execPath, [`${typescript}/bin/tsc`, '-p', project]);
  const text = readFileSync(`${outDir}/${EMBEDDING.replace('.ts', '.d.ts')}`, 'utf8');
  rmSync(outDir, { recursive: true });
  rmSync(project);
  if (/\bfrom '|\bimport\(/.test(text)) throw new Error(`${EMBEDDING}: its declarations name other files`);
  return text;
}
