/** Threads that die under load, killed or by a fault (docs/contract/common.md §8.3). */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readLog } from '#test/kit/intake-log.ts';
import { OTHER_TENANT, TENANT } from '#test/kit/platform-file.ts';
import { call, positionHeaders, startTestNode, untilWhole, type Headers, type TestNode } from '#test/kit/test-node.ts';

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
  /** When the newest acknowledgement arrived. */
  lastMs: number;
}

/** Creates rows one after the other until told to stop. */
async function create(headers: Headers, prefix: string, tally: Tally, going: () => boolean): Promise<void> {
  for (let i = 0; going(); i++) {
    const name = `${prefix}-${i}`;
    const answer = await call(it.gateway, 'POST', '/data/rest/item', headers, { name });
    tally.statuses.set(answer.status, (tally.statuses.get(answer.status) ?? 0) + 1);
    if (answer.status !== 201) continue;
    tally.lastMs = performance.now();
    tally.acknowledged.push(name);
  }
}

const shardHost = (tenant: string): number =>
  it.node.tenants().find((entry) => entry.position.key === tenant)!.shard % 2;

/** The node is whole again: every thread serves. */
const whole = (): Promise<void> => untilWhole(it.node);

/** Kills a host under a tenant's load; milliseconds until the tenant's next acknowledgement. */
async function awayMs(no: number, tally: Tally): Promise<number> {
  const since = performance.now();
  await it.node.drill.killHost(no);
  const ended = performance.now();
  await expect.poll(() => tally.lastMs, { timeout: 10_000, interval: 1 }).toBeGreaterThan(ended);
  return tally.lastMs - since;
}

test('two tenants of two hosts: one host dies, the other never notices, nothing acknowledged is lost', async () => {
  expect(shardHost(TENANT)).not.toBe(shardHost(OTHER_TENANT));
  const dying: Tally = { acknowledged: [], statuses: new Map(), lastMs: 0 };
  const living: Tally = { acknowledged: [], statuses: new Map(), lastMs: 0 };
  let going = true;
  const load = Array.from({ length: 8 }, (_, i) => [
    create(mine, `dying-${i}`, dying, () => going),
    create(others, `living-${i}`, living, () => going),
  ]).flat();
  const away: number[] = [];
  for (let kill = 0; kill < 3; kill++) {
    await new Promise((resolve) => setTimeout(resolve, 400));
    away.push(await awayMs(shardHost(TENANT), dying));
  }
  going = false;
  await Promise.all(load);
  await whole();
  console.log(`its tenants were away for ${away.map(Math.round).join(', ')} ms`);

  expect([...living.statuses.keys()]).toEqual([201]);
  expect([...dying.statuses.keys()].filter((status) => status !== 201 && status !== 503 && status !== 422)).toEqual([]);
  const names = new Set<string>();
  for (let offset = 0; ; offset += 1000) {
    const page = await it.call('GET', `/data/rest/item?limit=1000&offset=${offset}`, mine);
    expect(page.status).toBe(200);
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
  await whole();
  await it.node.drill.throwInHost(shardHost(TENANT));
  await expect
    .poll(async () => (await it.call('GET', '/data/rest/item?limit=1', mine)).status, { timeout: 10_000 })
    .toBe(200);
  await whole();
});

test("the control plane's host dies: keys, bootstrap and provisioning go on where they were", async () => {
  await whole();
  const before = (await it.call('GET', '/.well-known/jwks.json')).text;
  await it.node.drill.killHost(0);
  await whole();
  expect((await it.call('GET', '/.well-known/jwks.json')).text).toBe(before);
  expect((await it.call('POST', '/auth/bootstrap', {}, { token: 'wrong' })).status).toBe(401);
  expect(await it.node.provision('acme:shop:dev:sleeping')).toMatchObject({ state: 'active' });
  const away = { ...mine, 'X-Tenant': 'sleeping' };
  expect((await it.call('GET', '/data/rest/item', away)).status).toBe(401);
  expect((await it.call('GET', '/data/rest/item?limit=1', await it.service())).status).toBe(200);
});

test('a host dies while a tenant is provisioned: the run fails or succeeds, and the next one succeeds', async () => {
  await whole();
  const run = it.node.provision(TENANT).then(
    () => 'done',
    () => 'failed',
  );
  await it.node.drill.killHost(shardHost(TENANT));
  expect(['done', 'failed']).toContain(await run);
  await whole();
  expect(await it.node.provision(TENANT)).toMatchObject({ state: 'active', steps: [] });
  expect((await it.call('GET', '/data/rest/item?limit=1', mine)).status).toBe(200);
});

test('the intake writer dies under load: 503 meanwhile, then it serves, and has what it acknowledged', async () => {
  await whole();
  const acknowledged: string[] = [];
  const statuses = new Set<number>();
  let going = true;
  const submit = async (still: () => boolean): Promise<void> => {
    while (still()) {
      const answer = await it.call('POST', '/f/contact', {}, { name: 'n', email: 'a@example.org' });
      statuses.add(answer.status);
      if (answer.status === 200) acknowledged.push((answer.json as { id: string }).id);
    }
  };
  const callers = Array.from({ length: 8 }, () => submit(() => going));
  await expect.poll(() => acknowledged.length).toBeGreaterThan(50);
  const since = performance.now();
  await it.node.drill.kill('intake-writer');
  await expect.poll(() => statuses.has(503), { interval: 1 }).toBe(true);
  await whole();
  console.log(`intake was away for ${Math.round(performance.now() - since)} ms`);
  const then = acknowledged.length;
  await expect.poll(() => acknowledged.length).toBeGreaterThan(then + 50);
  going = false;
  await Promise.all(callers);
  expect([...statuses].sort((a, b) => a - b)).toEqual([200, 503]);
  const ids = readLog(join(it.dir, 'data', 'intake', 'jsonl')).map((line) => line.id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(acknowledged.filter((id) => !ids.includes(id))).toEqual([]);
});
