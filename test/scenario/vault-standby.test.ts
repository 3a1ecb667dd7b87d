/**
 * Two nodes on one log, whose vault lies in the same PostgreSQL: the one that serves is killed, and the other one unseals and has secrets, certificates, revocations, nodes and signing keys as they were.
 * Contract: docs/contract/vault.md §3, docs/how-to/managed-database.md.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '#test/kit/free-port.ts';
import { HiveVault, newCsr, TRUST_DOMAIN } from '#test/kit/hive-vault.ts';
import { writePlatformFile } from '#test/kit/platform-file.ts';
import { hasPostgres, PostgresPair } from '#test/kit/postgres-server.ts';
import { startProcess, type ProcessNode } from '#test/kit/process-node.ts';
import { skep } from '#test/runtime/cli/recorder.ts';

const START_MS = 60_000;
const LEASE_S = 3;

describe.runIf(hasPostgres)('a standby whose vault lies in the database of the log', () => {
  const kit = new HiveVault();
  let pair: PostgresPair;
  let first: ProcessNode;
  let second: Promise<ProcessNode>;

  beforeAll(async () => {
    pair = await PostgresPair.start();
    const files = [await fileOf('n1'), await fileOf('n2')];
    const made = await skep(`cluster init -f ${files[0]} --shards 4`);
    expect([made.code, made.err]).toEqual([0, '']);
    expect(await pair.primary.sql(`select to_regclass('skep_vault') is not null as made`)).toEqual([{ made: true }]);
    first = await startProcess(files[0]!);
    second = startProcess(files[1]!);
    second.catch(() => undefined);
    kit.serveAt(first.listeners['vault']!);
  }, 180_000);
  afterAll(async () => {
    await first.end('SIGKILL');
    await (await second).end('SIGKILL');
    await pair.stop();
    kit.close();
  });

  async function fileOf(name: string): Promise<string> {
    const dir = join(kit.dir, name);
    mkdirSync(dir);
    const storage = `journal: { driver: postgres, url: "${pair.primary.url}" }`;
    const extra = `cluster: { node: ${name}, lease: ${LEASE_S}s }
vault:
  enabled: true
  sid: vault-${name}
  trust_domain: ${TRUST_DOMAIN}
  port: ${await freePort()}
  tls: { cert: ${kit.path('server.pem')}, key: ${kit.path('server.key')} }
  operators: { ca: ${kit.path('ca.pem')} }
  seal: { current: { file: ${kit.path('root.key')} } }
  backend: { kind: postgres }
  pki: { listen: false }
identity: { keyring: "vault:keys" }
`;
    return writePlatformFile(dir, { storage, extra });
  }

  const told = async (method: string, path: string, body?: unknown) => {
    const { status, json } = await kit.call(method, path, body);
    return { status, json: json as Record<string, unknown> };
  };

  test(
    'what the node that was killed had acknowledged is what its standby serves, and goes on from',
    { timeout: 3 * START_MS },
    async () => {
      const secrets = Array.from({ length: 12 }, (_, n) => `/secret/s${n}`);
      for (const [n, path] of secrets.entries())
        expect((await told('PUT', path, { value: `value ${n}` })).status).toBe(201);
      const mine = await told('POST', '/certificate/internal', { common_name: 'a', dns: ['a.test'] });
      const gone = await told('POST', '/certificate/internal', { common_name: 'b', dns: ['b.test'] });
      expect((await told('DELETE', '/certificate/internal', { serial: gone.json['serial'] })).status).toBe(200);
      const list = await told('GET', '/pki/crl.pem').then(({ status }) => status);
      expect(list).toBe(200);
      const { token } = (await told('POST', '/join-token', { scope: 'dc=dc1,cluster=main' })).json;
      const { csr } = newCsr();
      const order = { token, csr, name: 'node-a', datacenter: 'dc1', cluster: 'main' };
      const joined = await told('POST', '/node/join', order);
      expect(joined.status).toBe(201);
      const jwt = await told('POST', '/jwt', { audience: 'db' });

      const began = performance.now();
      expect(await first.end('SIGKILL')).toBe('SIGKILL');
      const next = await second;
      kit.serveAt(next.listeners['vault']!);
      console.log(`the vault served again after ${Math.round(performance.now() - began)} ms`);

      expect((await told('GET', '/ready')).status).toBe(200);
      for (const [n, path] of secrets.entries())
        expect(await told('GET', path)).toMatchObject({ status: 200, json: { value: `value ${n}`, version: 1 } });
      expect((await told('PUT', '/secret/s0', { value: 'newer', cas: 1 })).status).toBe(200);
      const after = await told('POST', '/certificate/internal', { common_name: 'c', dns: ['c.test'] });
      expect(after.json['ca']).toBe(mine.json['ca']);
      expect((await told('DELETE', '/certificate/internal', { serial: gone.json['serial'] })).status).toBe(200);
      expect(await told('POST', '/jwt/verify', { token: jwt.json['token'], audience: 'db' })).toMatchObject({
        json: { valid: true },
      });
      // The token was used by the node that joined, and no other one.
      const again = await told('POST', '/node/join', { ...order, csr: newCsr().csr });
      expect(again.status).toBeGreaterThanOrEqual(400);
      const nodes = await told('GET', '/nodes');
      expect(JSON.stringify(nodes.json)).toContain(String(joined.json['node_id']));
    },
  );
});
