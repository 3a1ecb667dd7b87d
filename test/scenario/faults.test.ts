/** Threads that die under load. Issue: a host killed or thrown; DESIGN §3. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OTHER_TENANT, TENANT } from '#test/kit/platform-file.ts';
import { call, positionHeaders, startTestNode } from '#test/kit/test-node.ts';
import type { Headers, TestNode } from '#test/kit/test-node.ts';

let it: TestNode;
let mine: Headers;
let others: Headers;
beforeAll(async () => {
  it = await startTestNode({ hosts: 2 });
  mine = await it.service();
  const key = (await it.node.ask(OTHER_TENANT, 'identity', 'key.issue', {
    capabilities: { scope: ['acme:dev:shop:other'] },
  })) as { key: string };
  const exchanged = await it.call('POST', '/auth/token', {
    ...it.position(OTHER_TENANT),
    Authorization: `ApiKey ${key.key}`,
  });
  others = { ...positionHeaders(OTHER_TENANT), Authorization: `Bearer ${(exchanged.json as { token: string }).token}` };
});
afterAll(() => it.stop());

interface Tally {
  readonly acknowledged: string[];
  readonly statuses: Map<number, number>;
}

/** Creates rows one after the other until told to stop. */
async function create(headers: Headers, prefix: string, tally: Tally, going: () => boolean): Promise<void> {
  for (let i = 0; going(); i++) {
    const name = `${prefix}-${i}`;
    const answer = await call(it.gateway, 'POST', '/data/rest/item', headers, { name });
    tally.statuses.set(answer.status, (tally.statuses.get(answer.status) ?? 0) + 1);
    if (answer.status === 201) tally.acknowledged.push(name);
  }
}

test('two tenants of two hosts: one host dies, the other never notices, nothing acknowledged is lost', async () => {
  const shards = new Map(it.node.tenants().map((tenant) => [tenant.position.key, tenant.shard % 2]));
  expect(shards.get(TENANT)).not.toBe(shards.get(OTHER_TENANT));
  const dying: Tally = { acknowledged: [], statuses: new Map() };
  const living: Tally = { acknowledged: [], statuses: new Map() };
  let going = true;
  const load = Array.from({ length: 8 }, (_, i) => [
    create(mine, `dying-${i}`, dying, () => going),
    create(others, `living-${i}`, living, () => going),
  ]).flat();
  for (let kill = 0; kill < 3; kill++) {
    await new Promise((resolve) => setTimeout(resolve, 400));
    await it.node.drill.killHost(shards.get(TENANT)!);
  }
  await new Promise((resolve) => setTimeout(resolve, 600));
  going = false;
  await Promise.all(load);

  expect([...living.statuses.keys()]).toEqual([201]);
  expect([...dying.statuses.keys()].filter((status) => status !== 201 && status !== 503 && status !== 422)).toEqual([]);
  expect(dying.acknowledged.length).toBeGreaterThan(0);
  const names = new Set<string>();
  for (let offset = 0; ; offset += 1000) {
    const page = await it.call('GET', `/data/rest/item?limit=1000&offset=${offset}`, mine);
    const { data } = page.json as { data: { name: string }[] };
    for (const row of data) {
      expect(names.has(row.name)).toBe(false);
      names.add(row.name);
    }
    if (data.length < 1000) break;
  }
  for (const name of dying.acknowledged) expect(names.has(name), name).toBe(true);
});

test('an uncaught error in a host is one host restarted, and its tenants come back', async () => {
  const no = it.node.tenants().find((tenant) => tenant.position.key === TENANT)!.shard % 2;
  await it.node.drill.throwInHost(no);
  await expect
    .poll(async () => (await it.call('GET', '/data/rest/item?limit=1', mine)).status, { timeout: 10_000 })
    .toBe(200);
  const operations = it.node.listeners['operations']!;
  expect((await it.call('GET', '/readyz', {}, undefined, operations)).text).toBe('ready:true');
});
