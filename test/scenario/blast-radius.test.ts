/** What was refused changes nothing: provisioning over a checkout that is faulty leaves a healthy tenant as it was, served on. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startNode } from '#runtime/node.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { call, exchange, startTestNode, type Headers, type TestNode } from '#test/kit/test-node.ts';
import { BREAKAGES, writeVillage, type Breakage } from '#test/kit/village.ts';

let dir: string;
let product: string;
let test1: TestNode;
let caller: Headers;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'skep-blast-'));
  product = writeVillage(join(dir, 'product'));
  test1 = await startTestNode({ dir, localdir: product });
  caller = await test1.service();
  await test1.call('POST', '/data/rest/town', caller, { name: 'Bonn', size: 3 });
});
afterAll(() => {
  rmSync(dir, { recursive: true, force: true });
});

function breakIt({ file, from, to }: Breakage): void {
  writeVillage(product);
  const path = join(product, file);
  const text = readFileSync(path, 'utf8');
  expect(text).toContain(from);
  writeFileSync(path, text.replace(from, to));
}

/** Every plane of the tenant, as it is when nothing is wrong. */
async function expectServed(): Promise<void> {
  const { gateway, serviceKey } = test1;
  expect(await exchange(gateway, serviceKey)).not.toBe('');
  expect(await test1.call('GET', '/data/rest/town', caller)).toMatchObject({ status: 200, json: { total: 1 } });
  expect(await test1.call('GET', '/data/actions/large', caller)).toMatchObject({ status: 200, json: { count: 1 } });
  expect(await test1.call('GET', '/data/x/count', caller)).toMatchObject({ status: 200 });
  expect(await test1.call('POST', '/data/graphql', caller, { query: '{ __typename }' })).toMatchObject({ status: 200 });
}

/** A guard that does not compile is provisioned: its event answers 500, as the contract says. */
const REFUSED = BREAKAGES.filter(({ what }) => what !== 'the guard of a stateflow');

test.each(REFUSED.map((one) => [one.what, one] as const))('provisioning over %s', async (_, breakage) => {
  breakIt(breakage);
  const refused = test1.node.provision(TENANT);
  await expect(refused).rejects.toThrow(breakage.file);
  await expect(refused).rejects.toThrow(breakage.at);
  await expectServed();
});

test('a change that needs a plan is refused before anything is written', async () => {
  writeVillage(product);
  const path = join(product, 'entities', 'town.yaml');
  const text = readFileSync(path, 'utf8').replace('type: integer, default: 0', 'type: string');
  writeFileSync(path, text.replace('    access:', '      mayor: { type: string }\n    access:'));
  await expect(test1.node.provision(TENANT)).rejects.toThrow('need a plan');
  await expectServed();
  const { json } = await test1.call('GET', '/data/rest/town', caller);
  expect(Object.keys((json as { data: object[] }).data[0]!)).not.toContain('mayor');
});

test('a checkout that was mended is provisioned', async () => {
  writeVillage(product);
  expect(await test1.node.provision(TENANT)).toMatchObject({ state: 'active', steps: [] });
  await expectServed();
});

test('a node that starts over a checkout that does not load serves what it served', async () => {
  breakIt(BREAKAGES[0]!);
  await test1.node.stop();
  const again = await startNode(test1.platform);
  try {
    const gateway = again.listeners['gateway']!;
    expect(await exchange(gateway, test1.serviceKey)).not.toBe('');
    expect(await call(gateway, 'GET', '/data/rest/town', caller)).toMatchObject({ status: 200, json: { total: 1 } });
    writeVillage(product);
    await again.provision(TENANT);
    expect(await call(gateway, 'GET', '/data/rest/town', caller)).toMatchObject({ status: 200, json: { total: 1 } });
  } finally {
    await again.stop();
  }
});
