/** The package of the client: what `tsc -p client/tsconfig.build.json` makes runs as it is, and its declarations serve a strict project. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROOT } from '#runtime/place.ts';
import { strictErrors } from '#test/kit/strict-tsc.ts';

const run = promisify(execFile);
const dist = mkdtempSync(join(tmpdir(), 'skep-client-dist-'));
const manifest = JSON.parse(readFileSync(`${ROOT}client/package.json`, 'utf8')) as Record<string, unknown>;
const skep = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as { version: string; workspaces: string[] };

beforeAll(async () => {
  const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
  await run(process.execPath, [`${typescript}/bin/tsc`, '-p', `${ROOT}client/tsconfig.build.json`, '--outDir', dist]);
});
afterAll(() => rmSync(dist, { recursive: true }));

const filesOf = (end: string): string[] => readdirSync(dist).filter((name) => name.endsWith(end));

test('it depends on nothing, and has the version of the node', () => {
  expect(Object.keys(manifest).filter((key) => /dependencies/i.test(key))).toEqual([]);
  expect([manifest['version'], manifest['sideEffects'], manifest['type']]).toEqual([skep.version, false, 'module']);
  expect(skep.workspaces).toEqual(['client']);
});

test('each module imports modules beside it alone', () => {
  expect(filesOf('.js')).toContain('index.js');
  for (const name of [...filesOf('.js'), ...filesOf('.d.ts')]) {
    const from = [...readFileSync(join(dist, name), 'utf8').matchAll(/\bfrom '([^']+)'/g)].map(([, path]) => path!);
    for (const path of from) expect([name, path, filesOf('.js').includes(path.slice(2))]).toEqual([name, path, true]);
  }
});

test('it runs as JavaScript', async () => {
  const script = `import { createClient, SkepError } from ${JSON.stringify(pathToFileURL(join(dist, 'index.js')).href)};
const fetch = async () => new Response('{"data":[{"id":"1"}]}');
const skep = createClient({ site: 'https://desk.example.org', token: 't', fetch });
console.log(JSON.stringify(await skep.from('note').list()), SkepError.name);`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script]);
  expect(stdout).toBe('[{"id":"1"}] SkepError\n');
});

test('its declarations say the same as its sources', async () => {
  const lines = readFileSync(`${ROOT}test/client/types/lines.ts`, 'utf8').replace('#client/index.ts', '@skep/client');
  const schema = readFileSync(`${ROOT}test/client/types/schema.ts`, 'utf8');
  expect(await strictErrors({ 'lines.ts': lines, 'schema.ts': schema }, join(dist, 'index.d.ts'))).toEqual([]);
});
