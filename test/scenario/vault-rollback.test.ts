/** A store that was put back together with everything beside it: the audit log tells. Contract: docs/contract/vault.md §5.3. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startNode, type Node } from '#runtime/node.ts';
import { freePortBase } from '#test/kit/free-port.ts';
import { platformOf } from '#test/kit/platform-of.ts';
import { callVault } from '#test/kit/vault-process.ts';

const dir = mkdtempSync(join(tmpdir(), 'skep-vault-rollback-'));
const POSITION = { 'X-Customer': 'acme', 'X-Product': 'shop', 'X-Env': 'dev', 'X-Tenant': 'main' };
let node: Node | null = null;

afterAll(async () => {
  await node?.stop();
  rmSync(dir, { recursive: true, force: true });
});

async function start(more = ''): Promise<void> {
  const base = await freePortBase();
  const file = join(dir, 'platform.yaml');
  const vault = `vault: { enabled: true, profile: development, port: ${base + 7}${more} }`;
  const quiet = `listeners: { operations: false, intake: false }\ngateway: { bind: "127.0.0.1:0" }\nlog: { level: silent }`;
  writeFileSync(file, `storage: { dir: ./data }\nhosts: 1\naudit: { enabled: true }\n${vault}\n${quiet}\n`);
  node = await startNode(platformOf(file));
}

async function stop(): Promise<void> {
  await node!.stop();
  node = null;
}

const call = (method: string, path: string, body?: unknown) =>
  callVault(node!.listeners['vault']! + path, null, method, body, POSITION);
/** The vault's whole directory: the store, and what lies beside it. */
const there = join(dir, 'data/vault');
const copy = join(dir, 'copy');

test('store and state put back to an earlier copy: nothing is believed, and nothing was served before that was known', async () => {
  await start();
  expect((await call('PUT', '/secret/a', { value: 'one' })).status).toBe(201);
  await stop();
  cpSync(there, copy, { recursive: true });
  await start();
  for (const value of ['two', 'three']) expect((await call('PUT', '/secret/a', { value })).status).toBe(200);
  await stop();
  rmSync(there, { recursive: true });
  cpSync(copy, there, { recursive: true });
  await start();
  expect(await call('GET', '/secret/a')).toMatchObject({ status: 503, json: { code: 'vault.rolled_back' } });
  expect(await call('GET', '/ready')).toMatchObject({
    status: 503,
    json: { reasons: [expect.stringContaining('an earlier copy was put back')] },
  });
  await stop();
}, 60_000);

test('what was refused meanwhile changes nothing; an operator accepts it once, and later starts know the lower revision', async () => {
  await start();
  expect((await call('GET', '/secret/a')).status).toBe(503);
  await stop();
  await start(', accept_rollback: true');
  expect(await call('GET', '/secret/a')).toMatchObject({ status: 200, json: { value: 'one' } });
  await stop();
  await start();
  expect((await call('GET', '/ready')).status).toBe(200);
  expect(await call('GET', '/secret/a')).toMatchObject({ status: 200, json: { value: 'one' } });
}, 60_000);
