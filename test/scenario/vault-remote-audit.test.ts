/** The vault's events in an audit service of another process. Contract: docs/contract/vault.md §7.2 (`audit.endpoint`, sequence, spool, budget, required), docs/contract/audit.md §4.1 (mTLS from the vault). */
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { Agent } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AuditProcess, type ServedAudit } from '#test/kit/audit-process.ts';
import { CuttingProxy } from '#test/kit/cutting-proxy.ts';
import { freePortBase } from '#test/kit/free-port.ts';
import { VaultProcess, callVault, type Identity, type ServedVault } from '#test/kit/vault-process.ts';
import { skep } from '#test/runtime/cli/recorder.ts';

const CLUSTER = 'vault/dc1/main/_cluster';
const vault = new VaultProcess();
const audit = new AuditProcess();
let proxy: CuttingProxy;
let auditPort: { readonly SKEP_PORT_BASE: string };
let auditing: ServedAudit;
let serving: ServedVault;
let ada: Identity;
const agents: Agent[] = [];

beforeAll(async () => {
  const base = await freePortBase();
  auditPort = { SKEP_PORT_BASE: String(base) };
  proxy = new CuttingProxy(base + 8);
  const port = await proxy.open();
  await audit.open(`vault: { ca: ${join(vault.dir, 'vault-ca.pem')} }`);
  const files = `tls: { ca: ${join(audit.dir, 'cert.pem')}, cert: ./vault-1.pem, key: ./vault-1-key.pem }`;
  vault.open(`audit: { required: true, endpoint: "https://127.0.0.1:${port}", ${files} }`);
  vault.authority('vault-ca');
  const badge = vault.identity('vault/vault-1', { ca: 'vault-ca' });
  cpSync(badge.cert, join(vault.dir, 'vault-1.pem'));
  cpSync(badge.key, join(vault.dir, 'vault-1-key.pem'));
  ada = vault.identity('operator/ada');
  auditing = await audit.serve(auditPort);
  serving = await vault.serve();
}, 60_000);

afterAll(async () => {
  for (const agent of agents) agent.destroy();
  await serving.end('SIGKILL');
  await auditing.end('SIGKILL');
  proxy.close();
  vault.close();
  audit.close();
});

/** What the log holds on the disk of the other process. */
async function records(log = CLUSTER): Promise<Record<string, unknown>[]> {
  const { code, out } = await skep(`vault audit query ${join(audit.logs, log)} -o json`);
  return code === 0 ? (JSON.parse(out) as Record<string, unknown>[]) : [];
}

const put = (name: string, value: string) => serving.call(ada, 'PUT', `/secret/${name}`, { value });

function append(as: Identity, log: string, source: string) {
  const ca = readFileSync(join(audit.dir, 'cert.pem'));
  const agent = new Agent({ ca, cert: readFileSync(as.cert), key: readFileSync(as.key) });
  agents.push(agent);
  const body = [{ action: 'secret.read', source, source_seq: 1_000_000, data: { revision: 1e9 } }];
  return callVault(`${auditing.url}/logs/${encodeURIComponent(log)}/records`, agent, 'POST', body);
}

test('each write is a record there before it is answered: the decision, then the deed, in order, no gap, no value', async () => {
  expect((await put('a', 'hunter2')).status).toBe(201);
  await expect.poll(async () => (await records()).length, { timeout: 15_000 }).toBeGreaterThanOrEqual(2);
  const seen = await records();
  expect(seen.map(({ action }) => action)).toEqual(['policy.grant', 'secret.write']);
  expect(seen.map(({ source, source_seq }) => [source, source_seq])).toEqual([
    ['vault/vault-1', 1],
    ['vault/vault-1', 2],
  ]);
  expect(seen[1]).toMatchObject({ actor: 'spiffe://vault.test/operator/ada', target: 'secret/_node/a', outcome: 'ok' });
  expect(JSON.stringify(seen)).not.toContain('hunter2');
}, 30_000);

test('a lost answer costs no record and doubles none', async () => {
  const before = (await records()).length;
  proxy.cutting = true;
  proxy.hangUp();
  const writing = put('b', 'x');
  await expect.poll(async () => (await records()).length, { timeout: 15_000 }).toBe(before + 1); // taken, its answer lost
  proxy.cutting = false;
  expect((await writing).status).toBe(201);
  await expect.poll(async () => (await records()).length, { timeout: 15_000 }).toBe(before + 2);
  expect((await records()).map(({ source_seq }) => source_seq)).toEqual(
    Array.from({ length: before + 2 }, (_, at) => at + 1),
  );
}, 40_000);

test('a vault speaks for itself alone, and in logs of vaults alone; no other caller speaks for it', async () => {
  const other = vault.identity('vault/vault-2', { ca: 'vault-ca' });
  expect(await append(other, CLUSTER, 'vault/vault-1')).toMatchObject({ status: 400 });
  expect(await append(other, 'tenant/acme/shop/dev/main', 'vault/vault-2')).toMatchObject({ status: 403 });
  expect(await append(other, 'vault/dc9/main/_cluster', 'vault/vault-2')).toMatchObject({ status: 200 });
  for (const stranger of [
    vault.identity('vault/vault-1', { ca: 'operator-ca' }),
    vault.identity('operator/ada', { ca: 'vault-ca' }),
    vault.identity('vault/vault-1', { ca: 'vault-ca', usage: 'serverAuth' }),
  ])
    expect((await append(stranger, CLUSTER, 'vault/vault-1')).status).toBe(401);
  const service = await auditing.call('POST', `/logs/${encodeURIComponent(CLUSTER)}/records`, audit.service(), {
    action: 'secret.read',
    source: 'vault/vault-1',
    source_seq: 99,
  });
  expect(service).toMatchObject({ status: 400, json: { code: 'audit.bad_request' } });
}, 20_000);

test('where the service is away a required record refuses the write after the budget, and a later one is taken', async () => {
  await auditing.end('SIGKILL');
  expect(await put('c', 'never')).toMatchObject({ status: 503, json: { code: 'vault.audit_unavailable' } });
  auditing = await audit.serve(auditPort);
  expect((await serving.call(ada, 'GET', '/secret/c')).status).toBe(404);
  expect((await put('c', 'now')).status).toBe(201);
  expect(await serving.call(ada, 'GET', '/status')).toMatchObject({ json: { audit: { required: true, dropped: 1 } } });
  await expect
    .poll(
      async () =>
        (await records()).some(({ target, action }) => target === 'secret/_node/c' && action === 'secret.write'),
      {
        timeout: 15_000,
      },
    )
    .toBe(true);
  const numbers = (await records()).map(({ source_seq }) => source_seq as number);
  expect(numbers.at(-1)! - numbers.length).toBe(1); // the gap is the one that was dropped
}, 60_000);

test('a store that was put back with all that lies beside it: the other service remembers', async () => {
  await serving.end('SIGTERM');
  for (const name of ['store', 'state'])
    cpSync(join(vault.dir, name), join(vault.dir, `${name}-copy`), { recursive: true });
  serving = await vault.serve();
  expect((await put('a', 'two')).status).toBe(200);
  expect((await put('a', 'three')).status).toBe(200);
  await serving.end('SIGTERM');
  for (const name of ['store', 'state']) {
    rmSync(join(vault.dir, name), { recursive: true });
    cpSync(join(vault.dir, `${name}-copy`), join(vault.dir, name), { recursive: true });
  }
  serving = await vault.serve();
  expect(await serving.call(ada, 'GET', '/secret/a')).toMatchObject({
    status: 503,
    json: { code: 'vault.rolled_back' },
  });
}, 60_000);
