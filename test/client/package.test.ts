/** The package of the client: what `tsc -p client/tsconfig.build.json` makes runs as it is, and its declarations serve a strict project. */
import { execFile } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROOT } from '#runtime/place.ts';
import { errorsIn, tsc } from '#test/kit/strict-tsc.ts';

const run = promisify(execFile);
/** What the hooks import beside the client. */
const OF_HOOKS = ['@tanstack/react-query', 'react'];
const app = mkdtempSync(join(tmpdir(), 'skep-client-app-'));
const folder = join(app, 'node_modules/@skep/client');
const dist = join(folder, 'dist');
const manifest = JSON.parse(readFileSync(`${ROOT}client/package.json`, 'utf8')) as Record<string, unknown>;
const skep = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as { version: string; workspaces: string[] };

/** As npm installs it. */
beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  for (const name of ['package.json', 'README.md', 'LICENSE'])
    copyFileSync(`${ROOT}client/${name}`, join(folder, name));
  await tsc('-p', `${ROOT}client/tsconfig.build.json`, '--outDir', dist);
  writeFileSync(join(app, 'package.json'), '{ "private": true, "type": "module" }');
  for (const name of ['react', '@types/react', 'csstype', '@tanstack']) {
    mkdirSync(join(app, 'node_modules/@types'), { recursive: true });
    symlinkSync(`${ROOT}node_modules/${name}`, join(app, 'node_modules', name));
  }
});
afterAll(() => rmSync(app, { recursive: true }));

test('it depends on nothing, and has the version of the node; a page that takes the hooks brings their packages', () => {
  const kinds = Object.keys(manifest).filter((key) => /dependencies/i.test(key));
  expect(kinds).toEqual(['peerDependencies', 'peerDependenciesMeta']);
  expect(Object.keys(manifest['peerDependencies'] as object)).toEqual(OF_HOOKS);
  expect(manifest['peerDependenciesMeta']).toEqual(
    Object.fromEntries(OF_HOOKS.map((name) => [name, { optional: true }])),
  );
  expect([manifest['version'], manifest['sideEffects'], manifest['type']]).toEqual([skep.version, false, 'module']);
  expect(skep.workspaces).toEqual(['client']);
});

test('the tarball has the license, the README and what was compiled, and nothing else', async () => {
  const at = ['pack', '--dry-run', '--json', '--ignore-scripts', '--silent'];
  const packed = JSON.parse((await run('npm', at, { cwd: folder })).stdout) as [{ files: { path: string }[] }];
  const paths = packed[0].files.map(({ path }) => path);
  expect(paths.filter((path) => !path.startsWith('dist/')).sort()).toEqual(['LICENSE', 'README.md', 'package.json']);
  expect(paths.filter((path) => path.startsWith('dist/') && !/\.(?:js|d\.ts)$/.test(path))).toEqual([]);
  expect(readFileSync(`${ROOT}client/LICENSE`, 'utf8')).toBe(readFileSync(`${ROOT}LICENSE`, 'utf8'));
});

test('each entry of exports names its types first, and both are there', () => {
  const exports = manifest['exports'] as Record<string, string | Record<string, string>>;
  expect(Object.keys(exports)).toContain('.');
  for (const [name, entry] of Object.entries(exports)) {
    const files = typeof entry === 'string' ? [entry] : Object.values(entry);
    // TypeScript takes the first condition that holds, and every one of them holds for `default`.
    if (typeof entry !== 'string') expect(Object.keys(entry), name).toEqual(['types', 'default']);
    if (typeof entry !== 'string') expect(entry['types'], name).toBe(entry['default']!.replace(/\.js$/, '.d.ts'));
    for (const file of files) expect(existsSync(join(folder, file)), file).toBe(true);
  }
});

test('each module imports modules beside it alone, hooks those of the client and their packages', () => {
  const modules = (at: string) => readdirSync(join(dist, at)).filter((name) => name.endsWith('.js'));
  const importsOf = (path: string) =>
    [...readFileSync(join(dist, path), 'utf8').matchAll(/\b(?:from|import) '([^']+)'/g)].map(([, name]) => name);
  const [core, hooks] = [modules('.'), modules('react')];
  expect([core, hooks].map((names) => names.includes('index.js'))).toEqual([true, true]);
  const beside = core.map((name) => `./${name}`);
  for (const name of core) for (const path of importsOf(name)) expect(beside, name).toContain(path);
  const known = [...hooks.map((name) => `./${name}`), ...core.map((name) => `../${name}`), ...OF_HOOKS];
  for (const name of hooks) for (const path of importsOf(`react/${name}`)) expect(known, name).toContain(path);
});

test('its README has no link that the tarball does not hold', () => {
  const links = [...readFileSync(`${ROOT}client/README.md`, 'utf8').matchAll(/\]\(([^)]+)\)/g)].map(([, to]) => to!);
  expect(links.filter((to) => !to.startsWith('https://') && !existsSync(join(folder, to)))).toEqual([]);
});

test('it runs as JavaScript', async () => {
  const script = `import { createClient, SkepError } from '@skep/client';
const fetch = async () => new Response('{"data":[{"id":"1"}]}');
const skep = createClient({ site: 'https://desk.example.org', token: 't', fetch });
console.log(JSON.stringify(await skep.from('note').list()), SkepError.name);`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: app });
  expect(stdout).toBe('[{"id":"1"}] SkepError\n');
});

test.each([
  ['nodenext', 'nodenext'],
  ['esnext', 'bundler'],
])('its declarations say the same as its sources (module %s, resolution %s)', async (module, moduleResolution) => {
  const names = ['lines.ts', 'react-lines.ts'];
  for (const name of ['schema.ts', ...names]) {
    const text = readFileSync(`${ROOT}test/client/types/${name}`, 'utf8');
    const fitted = text.replace('#client/index.ts', '@skep/client').replace('./schema.ts', './schema.js');
    writeFileSync(join(app, name), fitted);
  }
  const lib = ['es2023', 'dom', 'dom.iterable'];
  const options = { module, moduleResolution, target: 'es2022', lib, types: [], strict: true, noEmit: true };
  expect(await errorsIn(app, options, names)).toEqual([]);
});
