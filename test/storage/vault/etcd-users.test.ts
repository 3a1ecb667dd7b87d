/** etcd with authentication: a user with a password, a client certificate. docs/contract/vault.md §3. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openEtcdVault } from '#storage/vault/etcd.ts';
import { BackendDown } from '#storage/vault/port.ts';
import { Etcd, hasEtcd } from '#test/kit/etcd.ts';

const PREFIX = '/skep/vault/';
const dir = mkdtempSync(join(tmpdir(), 'skep-etcd-users-'));
const at = (name: string): string => join(dir, name);

function certificate(name: string, usage: string): void {
  const ca = name === 'ca';
  const fresh = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', at(`${name}-key.pem`)];
  const extensions = ca
    ? 'basicConstraints=critical,CA:TRUE'
    : `subjectAltName=IP:127.0.0.1\nextendedKeyUsage=${usage}`;
  writeFileSync(at('ext'), extensions);
  // No common name: etcd's gateway refuses to pass one on (etcd documentation, "Authentication", gateway).
  execFileSync('openssl', ['req', '-new', ...fresh, '-out', at('csr'), '-subj', ca ? '/CN=ca' : '/O=skep'], {
    stdio: 'ignore',
  });
  const by = ca ? ['-signkey', at('ca-key.pem')] : ['-CA', at('ca.pem'), '-CAkey', at('ca-key.pem'), '-CAcreateserial'];
  const out = ['-days', '1', '-extfile', at('ext'), '-out', at(`${name}.pem`)];
  execFileSync('openssl', ['x509', '-req', '-in', at('csr'), ...by, ...out], { stdio: 'ignore' });
}

describe.skipIf(!hasEtcd)('etcd with users and client certificates', () => {
  const etcd = new Etcd({ ca: at('ca.pem'), cert: at('server.pem'), key: at('server-key.pem') });
  const pem = (name: string) => readFileSync(at(name), 'utf8');
  const open = (more: object) => openEtcdVault({ endpoints: [etcd.url], timeoutMs: 5000, prefix: PREFIX, ...more });
  const tls = () => ({ ca: pem('ca.pem'), cert: pem('client.pem'), key: pem('client-key.pem') });
  const user = { name: 'skep', password: 'of-the-vault' };

  beforeAll(async () => {
    certificate('ca', '');
    certificate('server', 'serverAuth,clientAuth');
    certificate('client', 'clientAuth');
    await etcd.start();
    await etcd.enableUsers(user.name, user.password, PREFIX);
  }, 40_000);

  afterAll(async () => {
    await etcd.remove();
    rmSync(dir, { recursive: true, force: true });
  });

  test('without a certificate, without a user, or with a wrong password, nothing can be read', async () => {
    for (const more of [
      { user, tls: { ca: pem('ca.pem') } },
      { tls: tls() },
      { tls: tls(), user: { ...user, password: 'guess' } },
      { tls: tls(), user: { ...user, name: 'other' } },
    ]) {
      const store = open(more);
      expect(await store.healthy()).toMatchObject({ ok: false });
      await expect(store.commit([{ path: 'a', value: Buffer.from('x') }])).rejects.toThrow(BackendDown);
      await expect(store.commit([{ path: 'a', value: undefined }])).rejects.not.toThrow(/guess/);
      await store.close();
    }
  }, 20_000);

  test('a user with a certificate: read, write, list; outside of the prefix of that user nothing', async () => {
    const store = open({ user, tls: tls() });
    expect(await store.commit([{ path: 'a', value: Buffer.from('one'), expect: 0 }])).toMatchObject({ ok: true });
    expect((await store.get('a'))!.value.toString()).toBe('one');
    expect((await store.list('', null, 10)).map(({ path }) => path)).toEqual(['a']);
    await store.close();
    const elsewhere = openEtcdVault({ endpoints: [etcd.url], timeoutMs: 5000, prefix: '/other/', user, tls: tls() });
    await expect(elsewhere.get('a')).rejects.toThrow(/permission denied/);
    await elsewhere.close();
  }, 20_000);

  test('a token that ended, with etcd’s restart or a change of its users, is got afresh, and nothing is done twice', async () => {
    const store = open({ user, tls: tls() });
    const first = await store.commit([{ path: 'b', value: Buffer.from('one'), expect: 0 }]);
    await etcd.stop('SIGKILL');
    await etcd.start();
    const version = (first as { revision: number }).revision;
    const raced = await Promise.all(
      ['two', 'three'].map((text) => store.commit([{ path: 'b', value: Buffer.from(text), expect: version }])),
    );
    expect(raced.filter(({ ok }) => ok)).toHaveLength(1);
    await etcd.ask('/v3/auth/user/add', { name: 'later', password: 'x' }, await etcd.root());
    expect(await store.commit([{ path: 'c', value: Buffer.from('x'), expect: 0 }])).toMatchObject({ ok: true });
    await store.close();
  }, 40_000);
});
