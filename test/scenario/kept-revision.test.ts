/** A tenant serves the revision of its product that was provisioned or applied, whatever lies in its checkout. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startNode, type Node } from '#runtime/node.ts';
import { tenantStatus } from '#runtime/tenant-status.ts';
import { OTHER_TENANT, TENANT } from '#test/kit/platform-file.ts';
import { call, exchange, positionHeaders, startTestNode } from '#test/kit/test-node.ts';
import type { Answer, Headers, TestNode } from '#test/kit/test-node.ts';
import { BREAKAGES, writeVillage } from '#test/kit/village.ts';

const LIMIT = { timeout: 180_000 };

let dir: string;
let product: string;
let first: TestNode;
let node: Node;
let caller: Headers;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'skep-kept-'));
  product = writeVillage(join(dir, 'product'));
  first = await startTestNode({ dir, localdir: product });
  node = first.node;
  caller = await first.service();
  expect((await first.call('POST', '/data/rest/town', caller, { name: 'Bonn', size: 3 })).status).toBe(201);
});
afterEach(async () => {
  await node.stop();
  rmSync(dir, { recursive: true, force: true });
});

async function restart(): Promise<void> {
  await node.stop();
  node = await startNode(first.platform);
}

function edit(file: string, from: string, to: string): void {
  const path = join(product, file);
  const text = readFileSync(path, 'utf8');
  expect(text).toContain(from);
  writeFileSync(path, text.replace(from, to));
}

const get = (path: string, tenant = TENANT): Promise<Answer> =>
  call(node.listeners['gateway']!, 'GET', path, { ...caller, ...positionHeaders(tenant) });

const revisions = (): string[] => {
  const root = join(dir, 'data', 'revisions');
  return readdirSync(root)
    .filter((name) => name.length === 2)
    .flatMap((name) => readdirSync(join(root, name)));
};

async function degradedTenants(): Promise<string[]> {
  const { json } = await call(node.listeners['operations']!, 'GET', '/readyz', { Accept: 'application/json' });
  const { degraded } = json as { degraded: { scope: string; name: string }[] };
  return degraded.filter(({ scope }) => scope === 'tenant').map(({ name }) => name);
}

async function expectServed(): Promise<void> {
  expect(await exchange(node.listeners['gateway']!, first.serviceKey)).not.toBe('');
  expect(await get('/data/rest/town')).toMatchObject({ status: 200, json: { total: 1 } });
  expect(await get('/data/actions/large')).toMatchObject({ status: 200, json: { count: 1 } });
  expect(await get('/data/x/count')).toMatchObject({ status: 200 });
}

test('over a checkout that is faulty, empty or gone it wakes as it was, and provisioning refuses', LIMIT, async () => {
  for (const { file, from, to } of [BREAKAGES[0]!, BREAKAGES[3]!]) {
    writeVillage(product);
    edit(file, from, to);
    await restart();
    await expectServed();
    await expect(node.provision(TENANT)).rejects.toThrow(file);
    await expectServed();
  }
  rmSync(product, { recursive: true });
  await restart();
  await expectServed();
  await expect(node.provision(TENANT)).rejects.toThrow('there is no such directory');
  await expectServed();
});

test(
  'an edit is served once it is provisioned, by that tenant alone; equal revisions lie there once',
  LIMIT,
  async () => {
    expect(revisions()).toHaveLength(1);
    edit('endpoints/count.yaml', 'const towns = 1', 'const towns = 2');
    const towns = async (tenant = TENANT): Promise<unknown> => {
      const { json } = await call(node.listeners['gateway']!, 'GET', '/data/x/count', positionHeaders(tenant));
      return (json as { towns: number }).towns;
    };
    expect(await towns()).toBe(1);
    await restart();
    expect(await towns()).toBe(1);
    await node.provision(TENANT);
    expect([await towns(), await towns(OTHER_TENANT)]).toEqual([2, 1]);
    await restart();
    expect([await towns(), await towns(OTHER_TENANT)]).toEqual([2, 1]);
    expect(revisions()).toHaveLength(2);
    await node.provision(OTHER_TENANT);
    expect(await towns(OTHER_TENANT)).toBe(2);
  },
);

test('what is new in the checkout is a plan that waits, also where it has no step', LIMIT, async () => {
  const wish = { tenant: TENANT, row: 'plan_generate', method: 'POST', body: { allow_drops: false } } as const;
  const generated = async () => (await node.admin(wish)).body as { warnings?: string[]; steps: unknown[] };
  expect((await generated()).warnings).toBeUndefined();
  edit('actions/large.yaml', 'default: 1', 'default: 100');
  expect(await get('/data/actions/large')).toMatchObject({ json: { count: 1 } });
  const plan = await generated();
  expect(plan.steps).toEqual([]);
  expect(plan.warnings).toEqual([
    expect.stringMatching(/^the checkout is revision [0-9a-f]{12}, the tenant serves [0-9a-f]{12}/),
  ]);
});

test(
  'a revision that is damaged on the disk: people log in, the rest says that it is not served, provisioning mends it',
  LIMIT,
  async () => {
    const [revision] = revisions();
    await node.stop();
    writeFileSync(join(dir, 'data', 'revisions', revision!.slice(0, 2), revision!), 'damaged');
    node = await startNode(first.platform);
    expect(await exchange(node.listeners['gateway']!, first.serviceKey)).not.toBe('');
    expect(await get('/data/rest/town')).toMatchObject({ status: 503, json: { code: 'v2.engine_unavailable' } });
    await expect.poll(degradedTenants).toEqual([TENANT]);
    const status = await tenantStatus(node, { tenant: TENANT });
    expect(status.degraded).toMatchObject([{ scope: 'tenant', name: TENANT }]);
    expect((await tenantStatus(node, { tenant: OTHER_TENANT })).degraded).toEqual([]);
    await node.provision(TENANT);
    // It sleeps since then: operators are not told of it until its next request.
    expect(await degradedTenants()).toEqual([]);
    await expectServed();
  },
);

test(
  'a backup takes the revision along: restored where nothing is kept, the tenant serves what it served',
  LIMIT,
  async () => {
    const file = join(dir, 'town.backup');
    await node.copies.backup({ tenant: TENANT, to: file });
    const elsewhere = mkdtempSync(join(tmpdir(), 'skep-else-'));
    const checkout = writeVillage(join(elsewhere, 'product'));
    cpSync(file, join(elsewhere, 'town.backup'));
    const count = join(checkout, 'endpoints', 'count.yaml');
    writeFileSync(count, readFileSync(count, 'utf8').replace('const towns = 1', 'const towns = 5'));
    const other = await startTestNode({ dir: elsewhere, localdir: checkout });
    try {
      await other.node.copies.delete({ tenant: TENANT, confirm: TENANT });
      const from = join(elsewhere, 'town.backup');
      await expect(other.node.copies.restore({ from })).rejects.toThrow('was made with other definitions');
      await other.node.copies.restore({ from, otherDefinitions: true });
      const answer = await call(other.gateway, 'GET', '/data/x/count', positionHeaders(TENANT));
      expect(answer).toMatchObject({ status: 200, json: { towns: 1 } });
      await other.node.provision(TENANT);
      const newer = await call(other.gateway, 'GET', '/data/x/count', positionHeaders(TENANT));
      expect(newer).toMatchObject({ status: 200, json: { towns: 5 } });
    } finally {
      await other.stop();
      rmSync(elsewhere, { recursive: true, force: true });
    }
  },
);
