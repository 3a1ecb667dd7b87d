/** What the package `skep` exports (docs/package.md), in this process; `test/scenario/package.test.ts` takes it from the package itself. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { callControl } from '#runtime/control.ts';
import { loadPlatform, PlatformError, startNode } from '#runtime/embed.ts';
import { TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { call, positionHeaders } from '#test/kit/test-node.ts';

function ownFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'skep-embed-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

test('a node is started, provisioned, asked, reached by the command line, and stopped', async () => {
  const dir = ownFolder();
  const platform = loadPlatform(writePlatformFile(dir), { env: {} });
  expect(platform).toMatchObject({ file: join(dir, 'platform.yaml'), dataDir: join(dir, 'data') });
  expect(platform.tenants).toContain(TENANT);
  const node = await startNode(platform);
  onTestFinished(() => node.stop());
  const admin = { email: 'ada@example.org', password: 'correct horse battery' };
  const first = await node.provision(TENANT, { admin });
  expect(first.steps.length).toBeGreaterThan(0);
  expect(await node.provision(TENANT)).toEqual({ tenant: TENANT, steps: [] });
  await expect(node.provision('no:such:tenant:here')).rejects.toThrow(/no tenant node .* no:such/);
  const login = { login: admin.email, password: admin.password };
  const answer = await call(node.addresses['gateway']!, 'POST', '/auth/login', positionHeaders(TENANT), login);
  expect(answer.status).toBe(200);
  expect(await callControl(platform.dataDir, 'tenant.list', {})).toMatchObject({ result: expect.any(Array) });
  await node.rotate();
  await Promise.all([node.stop(), node.stop()]);
  expect(await callControl(platform.dataDir, 'tenant.list', {})).toBeUndefined();
});

test(
  'a process that starts and stops nodes over and over keeps none of them in memory',
  { timeout: 60_000 },
  async () => {
    const program = fileURLToPath(new URL('./lives.process.ts', import.meta.url));
    const file = writePlatformFile(ownFolder());
    const { stdout } = await promisify(execFile)(process.execPath, ['--no-warnings', program, file, '4']);
    const left = stdout.split('\n').flatMap((line) => (line.startsWith('{"arrayBuffers"') ? [JSON.parse(line)] : []));
    const bytes = (left as { readonly arrayBuffers: number }[]).map(({ arrayBuffers }) => arrayBuffers);
    expect(bytes).toHaveLength(4);
    // Each life makes tables that its threads share, of 4 MB and more; those of the last one may be there still.
    expect(bytes.at(-1)! - bytes[0]!).toBeLessThan(6e6);
  },
);

test('a second node in the same directory is refused, and the first serves on', async () => {
  const platform = loadPlatform(writePlatformFile(ownFolder()), { env: {} });
  const node = await startNode(platform);
  onTestFinished(() => node.stop());
  await expect(startNode(platform)).rejects.toThrow(/in use|another/);
  expect((await call(node.addresses['gateway']!, 'GET', '/.well-known/jwks.json')).status).toBe(200);
});

test('a faulty file throws all of its problems, each with its place and its mend', () => {
  const file = join(ownFolder(), 'faulty.yaml');
  writeFileSync(file, 'hosts: many\ngatway: {}\n');
  const load = (): unknown => loadPlatform(file, { env: {} });
  expect(load).toThrow(PlatformError);
  expect(load).toThrow(/^.*faulty\.yaml:1:8: [^]*\n2 problems$/);
  expect(load).toThrow(
    expect.objectContaining({
      problems: [expect.objectContaining({ file, line: 1, path: 'hosts' }), expect.objectContaining({ line: 2 })],
    }),
  );
});

test('a secret of the file comes from a credential of systemd, as it does for the command line', () => {
  const dir = ownFolder();
  writeFileSync(join(dir, 'DIR'), `${dir}/of-the-credential\n`);
  writeFileSync(join(dir, 'node.yaml'), 'storage: { dir: "${DIR}" }\n');
  const { dataDir } = loadPlatform(join(dir, 'node.yaml'), { env: { CREDENTIALS_DIRECTORY: dir } });
  expect(dataDir).toBe(join(dir, 'of-the-credential'));
});

test('options outrank the file, and a platform that loadPlatform did not make is refused', async () => {
  const dir = ownFolder();
  const set = { 'storage.dir': join(dir, 'elsewhere') };
  const platform = loadPlatform(writePlatformFile(dir), { env: {}, set });
  expect(platform.dataDir).toBe(join(dir, 'elsewhere'));
  await expect(startNode({ ...platform })).rejects.toThrow(TypeError);
});
