/** The vault's events in the audit log of its node. Contract: docs/contract/vault.md §6, §7.2. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startNode, type Node } from '#runtime/node.ts';
import { freePortBase } from '#test/kit/free-port.ts';
import { platformOf } from '#test/kit/platform-of.ts';
import { callVault } from '#test/kit/vault-process.ts';
import { skep } from '#test/runtime/cli/recorder.ts';

const dir = mkdtempSync(join(tmpdir(), 'skep-vault-audit-'));
const POSITION = { 'X-Customer': 'acme', 'X-Product': 'shop', 'X-Env': 'dev', 'X-Tenant': 'main' };
let node: Node;
let url: string;

beforeAll(async () => {
  const base = await freePortBase();
  const file = join(dir, 'platform.yaml');
  const vault = `vault: { enabled: true, profile: development, port: ${base + 7}, audit: { required: true } }`;
  const quiet = `listeners: { operations: false, intake: false }\ngateway: { bind: "127.0.0.1:0" }\nlog: { level: error }`;
  writeFileSync(file, `storage: { dir: ./data }\nhosts: 1\naudit: { enabled: true }\n${vault}\n${quiet}\n`);
  node = await startNode(platformOf(file));
  url = node.listeners['vault']!;
}, 60_000);

afterAll(async () => {
  await node.stop();
  rmSync(dir, { recursive: true, force: true });
});

const call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  callVault(url + path, null, method, body, headers);

async function records(log: string): Promise<Record<string, unknown>[]> {
  const { code, out } = await skep(`vault audit query ${join(dir, 'data/audit/logs', log)} -o json`);
  return code === 0 ? (JSON.parse(out) as Record<string, unknown>[]) : [];
}

test('each read and write is a record of its log, with the decision before it; numbers without a gap; no value', async () => {
  await call('PUT', '/secret/a', { value: 'hunter2' }, POSITION);
  await call('GET', '/secret/a', undefined, POSITION);
  await call('HEAD', '/secret/a', undefined, POSITION);
  await call('DELETE', '/secret/a', undefined, POSITION);
  await call('PUT', '/secret/b', { value: 'hunter2' });
  await call('POST', '/operator/root/rotate-plan');
  const log = 'vault/dc1/main/acme/shop/dev/main';
  await expect.poll(async () => (await records(log)).length, { timeout: 15_000 }).toBe(8);
  const seen = await records(log);
  expect(seen.map(({ action }) => action)).toEqual([
    'policy.grant',
    'secret.write',
    'policy.grant',
    'secret.read',
    'policy.grant',
    'secret.exists',
    'policy.grant',
    'secret.delete',
  ]);
  expect(seen.map(({ source_seq }) => source_seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(seen[1]).toMatchObject({
    source: 'vault/vault-1',
    actor: 'spiffe://skep.internal/operator/developer',
    target: 'secret/acme:shop:dev:main/a',
    outcome: 'ok',
    data: { version: 1 },
  });
  expect(JSON.stringify(seen)).not.toContain('hunter2');
  const cluster = await records('vault/dc1/main/_cluster');
  expect(cluster.map(({ action }) => action)).toContain('secret.write');
}, 30_000);

test('required: the sealer’s death costs no record of what was answered 200', async () => {
  const statuses: number[] = [];
  await node.drill.kill('audit-sealer');
  for (let i = 0; i < 5; i++) statuses.push((await call('PUT', '/secret/c', { value: String(i) })).status);
  const written = statuses.filter((status) => status < 300).length;
  expect(statuses.every((status) => status < 300 || status === 503)).toBe(true);
  const of = async () =>
    (await records('vault/dc1/main/_cluster')).filter(
      (one) => one['action'] === 'secret.write' && one['target'] === 'secret/_node/c',
    ).length;
  await expect.poll(of, { timeout: 15_000 }).toBeGreaterThanOrEqual(written);
}, 60_000);

test('the keeper’s death is a restart: other threads serve on, and so does it', async () => {
  await node.drill.kill('vault-keeper');
  await expect.poll(async () => (await call('GET', '/ready').catch(() => null))?.status, { timeout: 15_000 }).toBe(200);
  expect((await call('GET', '/secret/b')).status).toBe(200);
}, 30_000);
