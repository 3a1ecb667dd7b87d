/** Where content stores keep their bytes, and how the service starts. Source: docs/contract/content.md §3.1, §3.2. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadPlatformText } from '#config/load.ts';
import { startNode } from '#runtime/node.ts';
import { freePortBase } from '#test/kit/free-port.ts';
import { magazineDirectory, startMagazine, upload } from '#test/kit/magazine.ts';
import { OTHER_TENANT, TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess } from '#test/kit/process-node.ts';
import { S3_KEYS, startS3 } from '#test/kit/s3-server.ts';
import { platformOf } from '#test/kit/platform-of.ts';
import { call, positionHeaders } from '#test/kit/test-node.ts';
import { skep } from '#test/runtime/cli/recorder.ts';

function directory(): string {
  const dir = mkdtempSync(join(tmpdir(), 'skep-places-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

test('a store keeps its bytes where the tenant says: in a directory, or in a bucket', async () => {
  const s3 = await startS3();
  onTestFinished(() => s3.stop());
  const media = directory();
  const node = await startMagazine({
    extra: 'content: { defaultstoreaction: true }',
    tenant: `      contentstores:
        - { name: media, contentroot: { type: os, path: ${media} } }
        - name: locked
          contentroot: { type: s3, url: "127.0.0.1:${s3.port}", accesskey: ${S3_KEYS.access}, secretkey: ${S3_KEYS.secret}, usessl: false, path: media }
`,
  });
  onTestFinished(() => node.stop());
  const editor = await node.service();
  const stored = async (store: string) => (await upload(`${node.gateway}/store/${store}/asset`, editor, 'bytes')).json;
  const onDisk = await stored('media');
  const kept = join(media, ...TENANT.split(':'), 'media', onDisk.sha256.slice(0, 2));
  expect(readdirSync(kept)).toEqual([onDisk.sha256]);
  const inBucket = await stored('locked');
  expect([...s3.objects.keys()]).toEqual([
    `${TENANT.replaceAll(':', '/')}/locked/${inBucket.sha256.slice(0, 2)}/${inBucket.sha256}`,
  ]);
  const path = `/store/locked/asset/${inBucket.id}/download`;
  expect((await node.call('GET', path, { ...editor, Range: 'bytes=1-3' })).text).toBe('yte');
  expect(s3.refused).toEqual([]);
  await s3.stop();
  const gone = await node.call('GET', path, editor);
  expect([gone.status, gone.json]).toMatchObject([502, { code: 'content.backend_failed' }]);
});

test('a tenant of loadtenants is awake before its first request', async () => {
  const dir = directory();
  const first = await startMagazine({ dir });
  await first.stop();
  const wish = { localdir: magazineDirectory, extra: `content: { loadtenants: ["${TENANT}", "${OTHER_TENANT}"] }` };
  const node = await startNode(platformOf(writePlatformFile(dir, wish)));
  onTestFinished(() => node.stop());
  const awake = async (): Promise<number> => {
    const text = await (await fetch(`${node.listeners['operations']}/metrics`)).text();
    return [...text.matchAll(/^skep_activations\S* (\d+)$/gm)].reduce((sum, [, count]) => sum + Number(count), 0);
  };
  await expect.poll(awake, { timeout: 10_000 }).toBe(3); // the control plane, too
});

test('skep content serves its own listener, alone', async () => {
  const dir = directory();
  const first = await startMagazine({ dir });
  await first.stop();
  const file = writePlatformFile(dir, { localdir: magazineDirectory });
  const platform = platformOf(file);
  const own = { ...platform, listeners: { ...platform.listeners, content: '127.0.0.1:0' } };
  const node = await startNode(own, { alone: 'content' });
  onTestFinished(() => node.stop());
  expect(Object.keys(node.listeners).toSorted()).toEqual(['content', 'operations']);
  const health = await fetch(`${node.listeners['content']}/health`);
  expect([health.status, await health.json()]).toEqual([200, { healthy: true, version: expect.any(String) }]);
  expect(await (await fetch(`${node.listeners['content']}/ready`)).text()).toBe('ready:true');
});

test('a file given to skep content may hold the section at its root', () => {
  const load = (text: string, contentRoot = true) =>
    loadPlatformText(text, 'content.yaml', { env: {}, cwd: '/w', contentRoot });
  const tenants = 'hives: { tenant: [{ key: acme:shop:dev:main, meta: { localdir: ./shop } }] }\n';
  const loaded = load(`${tenants}defaultstoreaction: true\nloadtenants: ["acme:shop:dev:main"]\n`);
  expect('platform' in loaded && loaded.platform.content).toMatchObject({
    defaultstoreaction: true,
    defaultappaction: false,
    loadtenants: ['acme:shop:dev:main'],
  });
  const faults = (text: string, root?: boolean) => {
    const read = load(text, root);
    return 'problems' in read ? read.problems.map(({ line, path }) => [line, path]) : [];
  };
  expect(faults('defaultappaction: 7\n')).toEqual([[1, 'content.defaultappaction']]);
  expect(faults('content: { defaultappaction: true }\ndefaultstoreaction: true\n')).toEqual([
    [2, 'defaultstoreaction'],
  ]);
  expect(faults('defaultstoreaction: true\n', false)).toEqual([[1, 'defaultstoreaction']]);
});

test('skep content -f and its verbs read a file with the section at its root', { timeout: 120_000 }, async () => {
  const dir = directory();
  const base = await freePortBase();
  const env = {
    SKEP_PORT_BASE: String(base),
    SKEP_TEST_PREVIEW: 'preview-secret',
    SKEP_TEST_WEBHOOK: 'webhook-secret',
  };
  const file = join(dir, 'content.yaml');
  const node = `hosts: 1
storage: { dir: ./data, segment_bytes: 1048576, free_bytes_min: 0, ballast_bytes: 0 }
listeners: { operations: true, content: false }
jwks: { issuers: { iam: self } }
hives: { tenant: [{ key: "${TENANT}", meta: { localdir: ${magazineDirectory} } }] }
`;
  writeFileSync(file, `${node}defaultstoreaction: true\nloadtenants: ["${TENANT}"]\n`);
  const bootstrapped = await skep(`content data bootstrap -f ${file} -o json`, env);
  expect([bootstrapped.code, bootstrapped.err]).toEqual([0, expect.any(String)]);
  expect(JSON.parse(bootstrapped.out)).toMatchObject([{ tenant: TENANT, state: 'bootstrapped' }]);
  expect((await skep(`tenant provision -f ${file} --tenant ${TENANT}`, env)).err).toContain(
    'unknown key "defaultstoreaction"',
  );
  const listed = await skep(`content webhook list -f ${file} --tenant ${TENANT} -o json`, env);
  expect(listed).toMatchObject({ code: 0, out: '[]\n' });

  const alone = await startProcess(file, env, [], ['content']);
  onTestFinished(async () => void (await alone.end('SIGTERM')));
  const own = alone.listeners['content']!;
  expect(Object.keys(alone.listeners).toSorted()).toEqual(['content', 'operations']);
  expect(await (await fetch(`${own}/ready`)).text()).toBe('ready:true');
  const asJson = { headers: { Accept: 'application/json' } };
  expect(await (await fetch(`${own}/ready`, asJson)).json()).toEqual({ ready: true });
  // The tenant is not active yet, which the door knows; no service answers here.
  const assets = await call(own, 'GET', '/store/media/asset', positionHeaders(TENANT));
  expect([assets.status, assets.json]).toMatchObject([403, { code: 'v2.no_tenant' }]);
  expect((await call(own, 'GET', '/data/rest/note', positionHeaders(TENANT))).status).toBe(404);
  expect(await alone.end('SIGTERM')).toBe(0);
});
