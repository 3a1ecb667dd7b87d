/** Where content stores keep their bytes, and how the service starts. Source: operations.md "Content: folder and declarations". */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadPlatformText } from '#config/load.ts';
import { startNode } from '#runtime/node.ts';
import { magazineDirectory, startMagazine, upload } from '#test/kit/magazine.ts';
import { OTHER_TENANT, TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { S3_KEYS, startS3 } from '#test/kit/s3-server.ts';
import { platformOf } from '#test/kit/test-node.ts';

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
  expect(await (await fetch(`${node.listeners['content']}/ready`)).json()).toEqual({ ready: true });
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
