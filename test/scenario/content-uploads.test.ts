/** What uploads may take: places of a thread that its tenants share, the size of a file, the quota of a store. */
import { request, type ClientRequest } from 'node:http';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { limits } from '#config/limits.ts';
import { startMagazine, upload } from '#test/kit/magazine.ts';
import { OTHER_TENANT } from '#test/kit/platform-file.ts';
import type { Headers, TestNode } from '#test/kit/test-node.ts';

let node: TestNode;
let mine: Headers;
let others: Headers;
const at = (): string => `${node.gateway}/store/locked/asset`;

beforeAll(async () => {
  const content = 'content: { defaultstoreaction: true, assets: { bytes_max: 1000, store_bytes_max: 2500 } }';
  node = await startMagazine({ extra: content });
  mine = node.position();
  others = node.position(OTHER_TENANT);
});
afterAll(() => node.stop());

/** An upload that goes on until it is ended. */
function held(headers: Headers): ClientRequest {
  const sent = request(at(), {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'multipart/form-data; boundary=b', 'Transfer-Encoding': 'chunked' },
  });
  sent.on('error', () => undefined).on('response', (answer) => answer.resume());
  sent.write('--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nbeginning');
  return sent;
}

test('a tenant that holds every upload it can get leaves the other tenants theirs', async () => {
  const { uploadsRunningMax: shared, uploadsRunningOfTenantMax: perOwner } = limits.content;
  const running = Array.from({ length: shared }, () => held(mine));
  await vi.waitFor(async () => {
    const { status, json, headers } = await upload(at(), mine, 'one more');
    expect([status, json]).toMatchObject([503, { code: 'content.unavailable' }]);
    expect(headers.get('retry-after')).toBe(String(limits.host.retryAfterSeconds));
  }, 20_000);
  expect(perOwner).toBeLessThan(shared);
  const theirs = await upload(at(), others, 'of the others');
  expect([theirs.status, theirs.json]).toMatchObject([201, { size: 13 }]);
  for (const sent of running) sent.destroy();
  await vi.waitFor(async () => expect((await upload(at(), mine, 'again')).status).toBe(201), 20_000);
});

test('a file may be as large as assets.bytes_max says', async () => {
  expect((await upload(at(), others, 'x'.repeat(1000))).status).toBe(201);
  const larger = await upload(at(), others, 'x'.repeat(1001));
  expect([larger.status, larger.json.code]).toEqual([413, 'content.too_large']);
});

test('the files of a store may take what assets.store_bytes_max says; what lies there already takes nothing', async () => {
  const letters = (letter: string): string => letter.repeat(990);
  const { status, json } = await upload(at(), others, letters('a'));
  expect(status).toBe(201);
  const full = await upload(at(), others, letters('b'));
  expect([full.status, full.json]).toMatchObject([507, { code: 'content.storage_full' }]);
  expect(full.json.error).toContain('2500 bytes');
  const replaced = await upload(`${at()}/${json.id}`, others, letters('c'), { method: 'PATCH' });
  expect([replaced.status, replaced.json.code]).toEqual([507, 'content.storage_full']);
  expect((await upload(at(), others, letters('a'), { name: 'same.txt' })).status).toBe(201);
  expect((await upload(at(), mine, letters('d'))).status).toBe(201);
  expect((await upload(`${node.gateway}/store/media/asset`, others, 'x')).json.code).toBe('content.unauthorized');
});
