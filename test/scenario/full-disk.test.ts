/** A disk below storage.free_bytes_min: the contract's statuses with Retry-After and the key, reads go on, and operations say so. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startNode, type Node } from '#runtime/node.ts';
import { limits } from '#config/limits.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { call, exchange, positionHeaders, startTestNode, type Answer, type Headers } from '#test/kit/test-node.ts';

const dir = mkdtempSync(join(tmpdir(), 'skep-full-disk-'));
const RETRY = String(limits.storage.fullRetrySeconds);
let node: Node | undefined;
let apiKey: string;
let bearer: Headers;

beforeAll(async () => {
  const before = await startTestNode({ dir });
  const { platform, serviceKey } = before;
  apiKey = before.apiKey;
  await before.stop();
  node = await startNode({ ...platform, storage: { ...platform.storage, free_bytes_min: Number.MAX_SAFE_INTEGER } });
  const token = await exchange(node.listeners['gateway']!, serviceKey);
  bearer = { ...positionHeaders(TENANT), Authorization: `Bearer ${token}` };
}, 120_000);
afterAll(async () => {
  await node?.stop();
  rmSync(dir, { recursive: true, force: true });
});

const ask = (method: string, path: string, headers: Headers, body?: unknown): Promise<Answer> =>
  call(node!.listeners['gateway']!, method, path, headers, body);
const operations = (path: string, headers: Headers = {}): Promise<Answer> =>
  call(node!.listeners['operations']!, 'GET', path, headers);

test('a write is refused with the code of its verb, Retry-After and the key, and without the path', async () => {
  const refused = await ask('POST', '/data/rest/item', bearer, { name: 'no room' });
  const body = refused.json as { error: string; code: string };
  expect([refused.status, body.code, refused.headers.get('retry-after')]).toEqual([500, 'v2.create_failed', RETRY]);
  expect(body.error).toContain('storage.free_bytes_min');
  expect(refused.text).not.toContain(dir);
  const key = await ask('POST', '/auth/apikey', { ...positionHeaders(TENANT), Authorization: `ApiKey ${apiKey}` });
  expect([key.status, key.headers.get('retry-after')]).toEqual([500, RETRY]);
  expect(key.text).toContain('storage.free_bytes_min');
});

test('a form is turned away with the same Retry-After and the key', async () => {
  const refused = await ask('POST', '/f/contact', {}, { name: 'n', email: 'a@example.org' });
  const { code, error } = refused.json as { error: string; code: string };
  expect([refused.status, code, refused.headers.get('retry-after')]).toEqual([503, 'intake.shedding', RETRY]);
  expect(error).toContain('storage.free_bytes_min');
  expect(refused.text).not.toContain(dir);
});

test('reads go on', async () => {
  expect((await ask('GET', '/data/rest/item', bearer)).status).toBe(200);
});

test('operations: 503, the disk by path, bytes and key, and the figures', async () => {
  const text = await operations('/readyz');
  expect([text.status, text.text]).toEqual([503, 'ready:false']);
  expect((await operations('/livez')).status).toBe(200);
  const listed = await operations('/readyz', { Accept: 'application/json' });
  expect(listed.status).toBe(503);
  const { degraded } = listed.json as { degraded: { scope: string; name: string; reason: string; concerns: string }[] };
  expect(degraded).toEqual([expect.objectContaining({ scope: 'disk', name: join(dir, 'data'), concerns: 'all' })]);
  expect(degraded[0]!.reason).toMatch(/has \d+ MiB free, less than storage\.free_bytes_min/);
  const { text: metrics } = await operations('/metrics');
  expect(metrics).toMatch(/^skep_disk_free_bytes \d+$/m);
  expect(metrics).toContain(`skep_disk_free_bytes_min ${Number.MAX_SAFE_INTEGER}`);
  expect(metrics).toContain('skep_degraded{scope="disk"} 1');
});
