import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openEtcdVault } from '#storage/vault/etcd.ts';
import { BackendDown } from '#storage/vault/port.ts';
import { Etcd, hasEtcd } from '#test/kit/etcd.ts';
import { storeCases } from './store.cases.ts';

describe.skipIf(!hasEtcd)('etcd', () => {
  const etcd = new Etcd();
  const open = (prefix = '/skep/vault/') => openEtcdVault({ endpoints: [etcd.url], timeoutMs: 3000, prefix });

  beforeAll(() => etcd.start(), 30_000);
  afterAll(() => etcd.remove());

  storeCases({ open: async () => open(), clear: async () => undefined });

  test('another prefix is another store', async () => {
    const [one, two] = [open('/one/'), open('/two/')];
    await one.commit([{ path: 'a', value: Buffer.from('1') }]);
    expect(await two.get('a')).toBeUndefined();
    expect(await two.list('', null, 10)).toEqual([]);
  });

  test('two vaults on one cluster: a change that met the other one is refused', async () => {
    const [one, two] = [open(), open()];
    await one.commit([{ path: 'shared', value: Buffer.from('1') }]);
    const { version } = (await two.get('shared'))!;
    await one.commit([{ path: 'shared', value: Buffer.from('2'), expect: version }]);
    const late = await two.commit([{ path: 'shared', value: Buffer.from('3'), expect: version }]);
    expect(late).toEqual({ ok: false, conflict: 'shared' });
  });

  test('an endpoint that is down is passed over; with none left the backend is down, and comes back', async () => {
    const dead = 'http://127.0.0.1:1';
    const store = openEtcdVault({ endpoints: [dead, etcd.url], timeoutMs: 3000, prefix: '/skep/vault/' });
    expect(await store.commit([{ path: 'over', value: Buffer.from('x') }])).toMatchObject({ ok: true });
    await etcd.stop('SIGKILL');
    expect(await store.healthy()).toMatchObject({ ok: false });
    await expect(store.get('over')).rejects.toThrow(BackendDown);
    await expect(store.commit([{ path: 'over', value: undefined }])).rejects.toThrow(BackendDown);
    await etcd.start();
    expect((await store.get('over'))!.value.toString()).toBe('x');
    await store.close();
  }, 40_000);
});
