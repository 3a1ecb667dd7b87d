/**
 * Quotas of rows, bytes, processor time and calls outside: each refuses its tenant as it is declared, wherever the tenant tries, and no
 * neighbour. Contract: docs/contract/tenants.md §3.
 */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { UsageRow } from '#actors/protocol/usage.ts';
import { runVerb } from '#runtime/control-verbs.ts';
import { startBff, type BffNode } from '#test/kit/bff-node.ts';
import { upload } from '#test/kit/magazine.ts';
import { OTHER_TENANT, TENANT } from '#test/kit/platform-file.ts';
import type { Headers } from '#test/kit/test-node.ts';

const FILES = {
  far: `
name: far
path: /far
auth: service
calls: { far: { url: UPSTREAM/far } }
response: { language: jq, program: "{ far: .calls.far }" }
`,
  sneak: `
name: sneak
path: /sneak
auth: service
method: POST
calls: { made: { service: data, method: POST, path: /data/rest/item, body: { name: "{{body.name}}" } } }
response: { language: jq, program: "{ made: .calls.made.data[0].name }" }
`,
};
const NONE = {
  rows: null,
  bytes: null,
  file_bytes: null,
  processor_ms: null,
  processor_ms_month: null,
  outside_calls: null,
};

let node: BffNode;
let bearer: Headers;
let neighbour: Headers;
let unique = 0;
const named = () => ({ name: `n${++unique}` });
const quota = (set: Readonly<Record<string, number | null>>) =>
  runVerb(node.node, 'tenant.quota', { key: TENANT, set });
const create = (headers = bearer) => node.call('POST', '/data/rest/item', headers, named());
const items = async (): Promise<{ id: string; name: string }[]> =>
  ((await node.call('GET', '/data/rest/item?limit=1000', bearer)).json as { data: { id: string; name: string }[] })
    .data;

async function usage(tenant = TENANT): Promise<UsageRow> {
  const rows = (await runVerb(node.node, 'tenant.usage', { tenant, from: '2020-01-01', to: '9999' })) as UsageRow[];
  return rows.at(-1)!;
}

beforeAll(async () => {
  node = await startBff(FILES);
  bearer = await node.service();
  const wish = { service: 'test', capabilities: { scope: ['acme:dev:shop:*'] } };
  const { key } = (await node.node.ask(OTHER_TENANT, 'identity', 'key.issue', wish)) as { key: string };
  const position = node.position(OTHER_TENANT);
  const exchanged = await node.call('POST', '/auth/token', { ...position, Authorization: `ApiKey ${key}` });
  neighbour = { ...position, Authorization: `Bearer ${(exchanged.json as { token: string }).token}` };
});
afterAll(() => node.stop());
afterEach(async () => void (await quota(NONE)));

test('rows: each way of writing one more is refused with 507 and keeps nothing; deletes and changes go on', async () => {
  for (let i = 0; i < 3; i++) expect((await create()).status).toBe(201);
  const before = await items();
  const { rows } = await usage();
  expect(rows).toBeGreaterThanOrEqual(3);
  await quota({ rows });
  const full = { status: 507, json: { code: 'tenant_full', details: { quota: 'rows', limit: rows } } };
  expect(await create()).toMatchObject(full);
  expect(await node.call('POST', '/data/rest', bearer, { operations: [{ data: { item: named() } }] })).toMatchObject(
    full,
  );
  const query = `mutation { create_item(data: { name: "n${++unique}" }) { name } }`;
  expect(await node.call('POST', '/data/graphql', bearer, { query })).toMatchObject(full);
  expect((await node.call('POST', '/bff/sneak', bearer, named())).status, 'an inner write').toBe(502);
  expect(await node.call('POST', '/content/blog/blog.post', bearer, { title: 'more' })).toMatchObject({
    status: 507,
    json: { code: 'content.storage_full', details: full.json.details },
  });
  expect(await items(), 'nothing was kept').toEqual(before);
  expect((await create(neighbour)).status, 'the neighbour').toBe(201);

  const { id } = before[0]!;
  expect((await node.call('PATCH', `/data/rest/item/id/${id}`, bearer, { stock: 4 })).status).toBe(200);
  expect((await node.call('DELETE', `/data/rest/item/id/${id}`, bearer)).status).toBeLessThan(300);
  expect((await create()).status, 'room again').toBe(201);
  expect(await create()).toMatchObject(full);
});

test('bytes: a write that grows beyond is refused, one that shrinks is not', async () => {
  const made = await node.call('POST', '/data/rest/item', bearer, { name: 'long', token: 'x'.repeat(900) });
  const { id } = (made.json as { data: { id: string }[] }).data[0]!;
  const { bytes } = await usage();
  expect(bytes).toBeGreaterThan(900);
  await quota({ bytes });
  const change = (token: string) => node.call('PATCH', `/data/rest/item/id/${id}`, bearer, { token });
  expect(await change('x'.repeat(1500))).toMatchObject({
    status: 507,
    json: { code: 'tenant_full', details: { quota: 'bytes', limit: bytes } },
  });
  expect((await change('short')).status).toBe(200);
  expect((await change('x'.repeat(800))).status, 'within what was given back').toBe(200);
});

test('bytes of files: one that has no room is refused before it is kept, in each way it may come; the neighbour has its own', async () => {
  const place = `${node.gateway}/store/media/asset`;
  const first = await upload(place, bearer, 'x'.repeat(600));
  expect(first.status).toBe(201);
  await quota({ file_bytes: 1000 });
  const refused = await upload(place, bearer, 'y'.repeat(600), { name: 'b.txt' });
  expect([refused.status, refused.json]).toMatchObject([507, { code: 'content.storage_full' }]);
  expect(refused.json.error).toContain('all files of the tenant, of every store, may take 1000 bytes');
  const resumable = await fetch(`${node.gateway}/store/media/upload`, {
    method: 'POST',
    headers: { ...bearer, 'Tus-Resumable': '1.0.0', 'Upload-Length': '600' },
  });
  expect([resumable.status, await resumable.text()]).toEqual([507, expect.stringContaining('1000 bytes')]);
  expect((await upload(place, bearer, 'z'.repeat(300), { name: 'c.txt' })).status, 'within it').toBe(201);
  expect((await upload(place, bearer, 'x'.repeat(600), { name: 'd.txt' })).status, 'bytes that are there').toBe(201);
  expect((await upload(place, neighbour, 'y'.repeat(600))).status, 'the neighbour').toBe(201);
  await quota({ file_bytes: null });
  expect((await upload(place, bearer, 'y'.repeat(600), { name: 'b.txt' })).status).toBe(201);
});

test('calls outside: exactly so many leave, then the call has failed by its quota and the upstream hears nothing', async () => {
  const { outside_calls: before } = await usage();
  const heard = node.upstream.received.length;
  await quota({ outside_calls: before + 2 });
  const statuses: number[] = [];
  for (let i = 0; i < 4; i++) statuses.push((await node.call('GET', `/bff/far?n=${i}`, bearer)).status);
  expect(statuses).toEqual([200, 200, 502, 502]);
  const refused = await node.call('GET', '/bff/far?n=9', bearer);
  expect(refused.json).toMatchObject({ code: 'bff.upstream_failed', details: { reason: 'quota' } });
  expect(node.upstream.received.length - heard).toBe(2);
  expect((await usage()).outside_calls).toBe(before + 2);
  expect((await node.call('GET', '/bff/far', neighbour)).status, 'the neighbour').toBe(200);
});

test('processor time: counted, and 429 until the day ends once it is used up', async () => {
  for (let i = 0; i < 40; i++) await create();
  const { processor_ms: used } = await usage();
  expect(used).toBeGreaterThan(0);
  await quota({ processor_ms: used });
  const refused = await create();
  expect(refused).toMatchObject({
    status: 429,
    json: { code: 'tenant_quota', details: { quota: 'processor_ms', per: 'day', limit: used } },
  });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await create(neighbour)).status).toBe(201);
});
