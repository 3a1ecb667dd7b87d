/** Two vaults on one store, an etcd or a PostgreSQL with a synchronous standby: one authority, one list, one set of nodes, whichever is asked. Contract: docs/contract/vault.md §3 (backends, certificates, join tokens). */
import { X509Certificate } from 'node:crypto';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Workbench } from '#test/actors/vault/pki/authority.ts';
import { Etcd, hasEtcd } from '#test/kit/etcd.ts';
import { newCsr } from '#test/kit/hive-vault.ts';
import { hasPostgres, PostgresPair } from '#test/kit/postgres-server.ts';
import { VaultProcess, type Identity, type ServedVault } from '#test/kit/vault-process.ts';

/** A store elsewhere: starts it and gives the section of a file that names it, and what ends it. */
const stores: Readonly<Record<string, () => Promise<readonly [backend: string, end: () => Promise<void>]>>> = {
  etcd: async () => {
    const etcd = new Etcd();
    await etcd.start();
    return [`{ kind: etcd, endpoints: ['${etcd.url}'] }`, () => etcd.remove()];
  },
  postgres: async () => {
    const pair = await PostgresPair.start();
    return [`{ kind: postgres, url: '${pair.primary.url}' }`, () => pair.stop()];
  },
};
const isHere: Readonly<Record<string, boolean>> = { etcd: hasEtcd, postgres: hasPostgres };

describe.each(Object.keys(stores).filter((kind) => isHere[kind]))('two vaults on one %s', (kind) => {
  const [first, second] = [new VaultProcess(), new VaultProcess()];
  let here: ServedVault;
  let there: ServedVault;
  let ada: Identity;
  let endStore: () => Promise<void>;

  beforeAll(async () => {
    const [backend, end] = await stores[kind]!();
    endStore = end;
    first.open('sid: vault-1', { backend });
    second.open('sid: vault-2', { backend });
    for (const name of ['root.key', 'operator-ca.pem', 'operator-ca-key.pem'])
      cpSync(join(first.dir, name), join(second.dir, name));
    ada = first.identity('operator/ada');
    [here, there] = await Promise.all([first.serve(), second.serve()]); // both at once: one authority all the same
  }, 120_000);

  afterAll(async () => {
    await Promise.all([here.end('SIGKILL'), there.end('SIGTERM')]);
    for (const one of [first, second]) one.close();
    await endStore();
  });

  const post = async (at: ServedVault, path: string, body: object, as: Identity | null = ada) => {
    const told = await at.call(as, 'POST', path, body);
    expect([path, told.text, told.status < 300]).toEqual([path, told.text, true]);
    return told.json as Record<string, string>;
  };

  test('a secret of one is the other’s; a write that lost a race says so', async () => {
    expect((await here.call(ada, 'PUT', '/secret/a', { value: 'one' })).status).toBe(201);
    expect(await there.call(ada, 'GET', '/secret/a')).toMatchObject({ json: { value: 'one' } });
    const raced = await Promise.all(
      [here, there].map((at) => at.call(ada, 'PUT', '/secret/a', { value: 'two', cas: 1 })),
    );
    expect(new Set(raced.map(({ status }) => status))).toEqual(new Set([200, 409]));
  }, 20_000);

  test('a certificate of one is revoked at the other: both lists and both responders say so, by openssl', async () => {
    const [mine, other] = [
      await post(here, '/certificate/internal', { common_name: 'a', dns: ['a.test'] }),
      await post(there, '/certificate/internal', { common_name: 'b', dns: ['b.test'] }),
    ];
    expect(mine['ca']).toBe(other['ca']);
    expect((await there.call(ada, 'DELETE', '/certificate/internal', { serial: mine['serial'] })).status).toBe(200);
    using bench = new Workbench();
    bench.write('ca.pem', mine['ca']!);
    bench.write('leaf.pem', mine['certificate']!);
    bench.write('good.pem', other['certificate']!);
    for (const at of [here, there]) {
      bench.write('crl.pem', (await at.call(null, 'GET', '/pki/crl.pem')).text);
      const by = ['verify', '-x509_strict', '-crl_check', '-CAfile', 'ca.pem', '-CRLfile', 'crl.pem'];
      expect(bench.run('openssl', ...by, 'leaf.pem').text).toContain('certificate revoked');
      expect(bench.run('openssl', ...by, 'good.pem').text).toContain('good.pem: OK');
    }
  }, 30_000);

  test('a JWT of one verifies at the other', async () => {
    const { token } = await post(here, '/jwt', { audience: 'db' });
    expect(await post(there, '/jwt/verify', { token, audience: 'db' })).toMatchObject({ valid: true });
  }, 20_000);

  test('a node joins at one, renews at the other, and is sent away there: neither serves it any more', async () => {
    const { token } = await post(there, '/join-token', { scope: 'dc=dc1,cluster=main' });
    const { csr, key } = newCsr();
    const order = { token, csr, name: 'node-a', datacenter: 'dc1', cluster: 'main' };
    const [node, again] = await Promise.all([here, there].map((at) => post(at, '/node/join', order, null)));
    expect(again!['node_id']).toBe(node!['node_id']); // the same key: one node, one use
    const latest = await post(here, '/node/join', order, null);
    const badge = badgeOf(first, latest['certificate']!, key);
    const renewed = await post(there, '/node/renew', { refresh_token: latest['refresh_token'], csr }, badge);
    expect(new X509Certificate(renewed['certificate']!).subjectAltName).toContain(`/node/${node!['node_id']}`);
    await post(there, `/nodes/${node!['node_id']}/evict`, {});
    for (const at of [here, there])
      expect([401, 403]).toContain((await at.call(badge, 'GET', '/workload/identities')).status);
  }, 30_000);

  test('one of them dies: the other goes on, with all that was acknowledged', async () => {
    expect((await here.call(ada, 'PUT', '/secret/last', { value: 'kept' })).status).toBe(201);
    await here.end('SIGKILL');
    expect(await there.call(ada, 'GET', '/secret/last')).toMatchObject({ json: { value: 'kept' } });
    await post(there, '/certificate/internal', { common_name: 'c', dns: ['c.test'] });
    expect((await there.call(null, 'GET', '/ready')).status).toBe(200);
  }, 20_000);
});

function badgeOf(first: VaultProcess, certificate: string, key: string): Identity {
  const [cert, file] = [join(first.dir, 'node.pem'), join(first.dir, 'node-key.pem')];
  writeFileSync(cert, certificate);
  writeFileSync(file, key);
  return { cert, key: file };
}
