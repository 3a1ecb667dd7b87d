/** `vault:<name>` in a product's files: each tenant's own secret of that name, from the node's vault. Contract: docs/contract/content.md §3.3 (preview.secret, webhooks[].secret), §8. */
import { createHmac } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mintPreview } from '#actors/content/app/preview-token.ts';
import { freePortBase } from '#test/kit/free-port.ts';
import { magazineWith, startMagazine } from '#test/kit/magazine.ts';
import { OTHER_TENANT, TENANT } from '#test/kit/platform-file.ts';
import type { Headers, TestNode } from '#test/kit/test-node.ts';
import { callVault } from '#test/kit/vault-process.ts';
import { startReceiver, type Receiver } from '#test/kit/webhook-receiver.ts';

const posts = '/content/blog/blog.post';
const PREVIEW = 'hunter2-preview';
const WEBHOOK = 'hunter2-webhook';
const dir = mkdtempSync(join(tmpdir(), 'skep-product-refs-'));
let node: TestNode;
let editor: Headers;
let receiver: Receiver;
let vaultUrl: string;

let start: () => Promise<void>;

beforeAll(async () => {
  receiver = await startReceiver();
  const localdir = magazineWith(
    dir,
    `webhooks:\n  - { name: all, url: "http://127.0.0.1:${receiver.port}/all", secret: "vault:content/hook" }\n`,
  );
  const app = join(localdir, 'content/apps/blog/app.yaml');
  writeFileSync(app, readFileSync(app, 'utf8').replace('${SKEP_TEST_PREVIEW}', 'vault:content/preview'));
  const port = (await freePortBase()) + 7;
  const wish = {
    dir,
    localdir,
    extra: `vault: { enabled: true, profile: development, port: ${port} }\naudit: { enabled: true }\noutbound: { allow_private: ["127.0.0.1:${receiver.port}"] }`,
  };
  vaultUrl = `http://127.0.0.1:${port}`;
  start = async () => {
    node = await startMagazine(wish);
    editor = await node.service();
  };
  await start();
}, 60_000);

afterAll(async () => {
  await node.stop();
  await receiver.stop();
  rmSync(dir, { recursive: true, force: true });
});

function put(name: string, value: string, tenant: string | null) {
  const [customer, product, env, last] = (tenant ?? '').split(':') as [string, string, string, string];
  const position = { 'X-Customer': customer, 'X-Product': product, 'X-Env': env, 'X-Tenant': last };
  const path = `${vaultUrl}/secret/${encodeURIComponent(name)}`;
  return callVault(path, null, 'PUT', { value }, tenant === null ? {} : position);
}

const made = async (title: string) =>
  (await node.call('POST', posts, editor, { title })).json as { document_id: string };
const preview = (id: string, headers = editor) =>
  node.call('POST', '/content/blog/preview', headers, { type: 'blog.post', id });

test('a preview without its secret in the vault is 501; a node-wide secret and another tenant’s are not its own', async () => {
  const { document_id: id } = await made('first');
  expect(await preview(id)).toMatchObject({ status: 501, json: { code: 'content.preview_unconfigured' } });
  expect((await put('content/preview', 'of-the-node', null)).status).toBe(201);
  expect((await put('content/preview', 'of-the-other', OTHER_TENANT)).status).toBe(201);
  expect((await preview(id)).status).toBe(501);
}, 20_000);

test('a webhook waits until its secret is there, and is signed with it', async () => {
  expect(receiver.received).toEqual([]);
  expect((await put('content/hook', WEBHOOK, TENANT)).status).toBe(201);
  await made('second'); // what waited goes with what is new
  await expect.poll(() => receiver.received.length, { timeout: 15_000 }).toBe(2);
  for (const { headers, body } of receiver.received)
    expect(headers['x-service-signature']).toBe(`sha256=${createHmac('sha256', WEBHOOK).update(body).digest('hex')}`);
}, 30_000);

test('a later start: preview tokens are signed with the tenant’s secret, and verify', async () => {
  expect((await put('content/preview', PREVIEW, TENANT)).status).toBe(201);
  await node.stop();
  await start();
  const { document_id: id } = await made('third');
  const minted = await preview(id);
  expect(minted.status).toBe(200);
  const { token } = minted.json as { token: string };
  expect((await node.call('GET', `${posts}/${id}?preview=${token}`, node.position(TENANT))).status).toBe(200);
  const claim = { tenant: TENANT, app: 'blog', type: 'blog.post', document: id };
  const by = (secret: string) => mintPreview(secret, claim, Date.now() + 60_000);
  const seen = async (token: string | Promise<string>) =>
    (await node.call('GET', `${posts}/${id}?preview=${await token}`, node.position(TENANT))).status;
  expect([await seen(by(PREVIEW)), await seen(by('of-the-node')), await seen(by('vault:content/preview'))]).toEqual([
    200, 401, 401,
  ]);
}, 60_000);

test('the tenant’s log of the vault tells who took its secret; nothing on the disk shows one', async () => {
  const logs = join(node.dir, 'data/audit/logs');
  await expect
    .poll(() => existsSync(join(logs, 'vault/dc1/main', ...TENANT.split(':'))), { timeout: 15_000 })
    .toBe(true);
  for (const entry of readdirSync(logs, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const bytes = readFileSync(join(entry.parentPath, entry.name));
    expect([entry.name, bytes.includes('hunter2')]).toEqual([entry.name, false]);
  }
}, 30_000);
