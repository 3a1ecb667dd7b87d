/** A host that spins in one turn, in a real process: told, named, replaced; its neighbour is served again, and the second time the door refuses. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OTHER_TENANT, TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess, type ProcessNode } from '#test/kit/process-node.ts';
import { call, exchange, positionHeaders, startTestNode, untilWhole } from '#test/kit/test-node.ts';
import type { Answer, Headers } from '#test/kit/test-node.ts';

const SPIN = 'spin-for-ever';
const ROUTE = 'POST /data/rest/{entity}';
const dir = mkdtempSync(join(tmpdir(), 'skep-watchdog-'));
let node: ProcessNode;
let mine: Headers;
let others: Headers;

beforeAll(async () => {
  const prepared = await startTestNode({ dir });
  const mineKey = prepared.serviceKey;
  const wish = { capabilities: { scope: ['acme:dev:shop:other'] } };
  const { key: otherKey } = (await prepared.node.ask(OTHER_TENANT, 'identity', 'key.issue', wish)) as { key: string };
  await prepared.stop();
  const file = writePlatformFile(dir, { extra: 'watchdog: { replace_after: 4s, refuse_for: 1h }' });
  const preload = new URL('../kit/spin-in-json.mjs', import.meta.url).href;
  node = await startProcess(file, { NODE_OPTIONS: `--import=${preload}` });
  const gateway = node.listeners['gateway']!;
  mine = { ...positionHeaders(TENANT), Authorization: `Bearer ${await exchange(gateway, mineKey)}` };
  const answer = await call(gateway, 'POST', '/auth/token', {
    ...positionHeaders(OTHER_TENANT),
    Authorization: `ApiKey ${otherKey}`,
  });
  others = {
    ...positionHeaders(OTHER_TENANT),
    Authorization: `Bearer ${(answer.json as { token: string }).token}`,
  };
}, 120_000);
afterAll(async () => {
  await node.end('SIGTERM');
  rmSync(dir, { recursive: true, force: true });
});

interface Readyz {
  readonly ready: boolean;
  readonly degraded: readonly { readonly scope: string; readonly name: string; readonly reason: string }[];
}

const ask = (method: string, path: string, headers: Headers, body?: unknown): Promise<Answer> =>
  call(node.listeners['gateway']!, method, path, headers, body);
const create = (headers: Headers, name: string): Promise<Answer> => ask('POST', '/data/rest/item', headers, { name });
const readyz = (headers: Headers = { Accept: 'application/json' }): Promise<Answer> =>
  call(node.listeners['operations']!, 'GET', '/readyz', headers);
const degraded = async (): Promise<Readyz> => (await readyz()).json;
const metric = async (start: string): Promise<number> => {
  const { text } = await call(node.listeners['operations']!, 'GET', '/metrics');
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(start))
      ?.split(' ')
      .at(-1),
  );
};
const lines = (message: string): Record<string, unknown>[] =>
  node
    .logged()
    .split('\n')
    .filter((line) => line.includes(message))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const namesOf = async (headers: Headers): Promise<string[]> => {
  const answer = await ask('GET', '/data/rest/item?limit=1000', headers);
  return (answer.json as { data: { name: string }[] }).data.map(({ name }) => name);
};

/** Rows of both tenants, one after the other, until told to stop: what was acknowledged. */
async function load(going: () => boolean): Promise<string[]> {
  const acknowledged: string[] = [];
  const one = async (headers: Headers, prefix: string): Promise<void> => {
    for (let i = 0; going(); i++) {
      const answer = await create(headers, `${prefix}-${i}`);
      if (answer.status === 201) acknowledged.push(`${prefix}-${i}`);
      else await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  await Promise.all([one(mine, `mine-${Date.now()}`), one(others, `other-${Date.now()}`)]);
  return acknowledged;
}

/** Makes the host spin under load, waits until it was replaced; what was acknowledged meanwhile. */
async function spin(): Promise<string[]> {
  let going = true;
  const loading = load(() => going);
  await new Promise((resolve) => setTimeout(resolve, 300));
  const spinning = create(mine, SPIN);
  await expect.poll(async () => (await degraded()).degraded[0]?.reason, { timeout: 20_000 }).toContain(ROUTE);
  const named = await degraded();
  expect(named.degraded[0]).toMatchObject({ scope: 'host', name: 'host-0' });
  expect(named.degraded[0]!.reason).toContain(`${ROUTE} (entity item) of ${TENANT}`);
  expect([named.ready, (await readyz({})).text]).toEqual([false, 'ready:false']); // it is the only host: no request is served
  expect((await spinning).status).toBe(503);
  await expect.poll(async () => (await readyz({})).text, { timeout: 20_000 }).toBe('ready:true');
  expect((await create(others, `a neighbour at ${Date.now()}`)).status).toBe(201);
  going = false;
  return loading;
}

test(
  'told, named, replaced; the neighbour is served again, and nothing acknowledged is lost',
  { timeout: 120_000 },
  async () => {
    const acknowledged = await spin();
    expect(acknowledged.length).toBeGreaterThan(0);
    const there = new Set([...(await namesOf(mine)), ...(await namesOf(others))]);
    expect(acknowledged.filter((name) => !there.has(name))).toEqual([]);
    expect(there.has(SPIN)).toBe(false);
    await untilWhole(node);
    const [stalled] = lines('stands still in one turn').filter(({ tenant }) => tenant === TENANT);
    expect(stalled).toMatchObject({ thread: 'host-0', tenant: TENANT, route: ROUTE, part: 'entity item' });
    expect(lines('a host stood still too long')).toHaveLength(1);
    expect(await metric(`skep_stalls_by_route_total{tenant="${TENANT}",route="${ROUTE}"}`)).toBeGreaterThan(0);
    expect(await metric('skep_thread_stalls_total{thread="host-0"}')).toBeGreaterThan(0);
    expect(await metric('skep_hosts_replaced_total')).toBe(1);
    expect(await metric('skep_suspended_routes')).toBe(0);
    expect((await create(mine, 'after the first time')).status).toBe(201);
  },
);

test(
  'after the second time the door refuses that route of that tenant, and only that; SIGHUP lifts it',
  { timeout: 120_000 },
  async () => {
    await spin();
    await expect.poll(() => metric('skep_suspended_routes'), { timeout: 10_000 }).toBe(1);
    const refused = await create(mine, 'an innocent row');
    expect([refused.status, (refused.json as { code: string }).code]).toEqual([503, 'suspended']);
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(3000);
    expect(seconds).toBeLessThanOrEqual(3600);
    expect((await ask('GET', '/data/rest/item', mine)).status).toBe(200);
    expect((await create(others, 'of another tenant')).status).toBe(201);
    const listed = await degraded();
    expect(listed.ready).toBe(true);
    expect(listed.degraded).toEqual([expect.objectContaining({ scope: 'route', name: `${TENANT} ${ROUTE}` })]);
    expect(listed.degraded[0]!.reason).toContain('SIGHUP lifts the refusal at once');
    expect(await metric('skep_suspended_requests_total')).toBeGreaterThan(0);
    expect(lines('refused at the door for a while')[0]).toMatchObject({ route: `${TENANT} ${ROUTE}`, refused_s: 3600 });
    process.kill(node.pid, 'SIGHUP');
    await expect.poll(async () => (await create(mine, 'served again')).status, { timeout: 10_000 }).toBe(201);
    await untilWhole(node);
  },
);

test('a process that was stopped and goes on replaces no host', { timeout: 120_000 }, async () => {
  const before = await metric('skep_hosts_replaced_total');
  process.kill(node.pid, 'SIGSTOP');
  await new Promise((resolve) => setTimeout(resolve, 6000));
  process.kill(node.pid, 'SIGCONT');
  expect((await ask('GET', '/data/rest/item', mine)).status).toBe(200);
  await new Promise((resolve) => setTimeout(resolve, 1000));
  expect(await metric('skep_hosts_replaced_total')).toBe(before);
  expect((await degraded()).degraded).toEqual([]);
});
