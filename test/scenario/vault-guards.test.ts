/** What a production vault refuses at its start, what `/ready` says, seal and unseal, rollback. Contract: docs/contract/vault.md §2, §3. */
import { randomBytes } from 'node:crypto';
import { chmodSync, cpSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Etcd, hasEtcd } from '#test/kit/etcd.ts';
import { fileOf, skep } from '#test/runtime/cli/recorder.ts';
import { useVaults } from './use-vaults.ts';

const { fresh, serve } = useVaults();

describe('production refuses at the start', () => {
  const tls = 'tls: { cert: ./c.pem, key: ./k.pem }\n';
  const key = 'seal: { current: { file: ./root.key } }\n';
  test.each([
    ['the file backend', `${tls}${key}backend: { kind: file }`, 'production refuses the file backend'],
    ['a vault without a root key', tls, 'production needs a root key'],
    ['a listener without TLS', key, 'the vault listens with TLS only'],
    ['postgres without a database', `${tls}${key}backend: { kind: postgres }`, 'the vault has no database'],
    [
      'a database that is none',
      `${tls}${key}backend: { kind: postgres, url: "mysql://h/x" }`,
      'not the URL of a PostgreSQL',
    ],
    ['a database beside lmdb', `${tls}${key}backend: { url: "postgres://h/x" }`, 'the secrets lie in lmdb'],
    ['copies of lmdb', `${tls}${key}backend: { replication: managed }`, 'which copies nothing'],
    ['etcd without an endpoint', `${tls}${key}backend: { kind: etcd }`, 'etcd has no endpoint'],
    [
      'a user of etcd without a password',
      `${tls}${key}backend: { kind: etcd, endpoints: ["https://e.test"], user: skep }`,
      'a user of etcd has a name and one source of its password',
    ],
    [
      'a password of two sources',
      `${tls}${key}backend: { kind: etcd, endpoints: ["https://e.test"], user: a, password: { file: ./a, env: B } }`,
      'a user of etcd has a name and one source of its password',
    ],
    ['a root key of two sources', `${tls}seal: { current: { file: ./a, env: B } }`, 'a root key has one source'],
    ['shares beside a root key', `${tls}seal: { kind: shamir, current: { env: B } }`, 'has no root key in its file'],
    [
      'an audit record to wait for without an audit log',
      `${tls}${key}audit: { required: true }`,
      'no audit log to wait for',
    ],
    [
      'an audit service elsewhere',
      `${tls}${key}audit: { endpoint: "https://audit.test" }`,
      'is asked over TLS, with a certificate',
    ],
    ['a list of revocations without its issuer', `${tls}${key}operators: { crl: ./l.pem }`, 'without its issuer'],
  ])('%s', async (_what, text, message) => {
    const { code, err } = await skep(`vault server -f ${fileOf(text)}`);
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(err).toMatch(/p\.yaml:\d+:\d+/);
  });

  test('a development file may leave TLS out on loopback only', async () => {
    const { code, err } = await skep(`vault server -f ${fileOf('profile: development\nhost: 0.0.0.0\n')}`);
    expect([code, err]).toEqual([2, expect.stringContaining('the vault listens with TLS only')]);
  });

  test('a root key that is not there, is none, or is another’s: named, never repeated', async () => {
    const vault = fresh();
    const served = await serve(vault);
    await served.call(vault.identity('operator/ada'), 'PUT', '/secret/a', { value: 'x' });
    await served.end('SIGTERM');
    vault.writeRoot(Buffer.alloc(32, 9));
    await expect(vault.serve()).rejects.toThrow('the root key is not the one that this store was sealed with');
    writeFileSync(vault.rootFile, 'hunter2-no-key');
    chmodSync(vault.rootFile, 0o640);
    await expect(vault.serve()).rejects.toThrow('can be read by others than its owner');
    chmodSync(vault.rootFile, 0o600);
    await expect(vault.serve()).rejects.toThrow('is no root key');
    await expect(vault.serve()).rejects.not.toThrow('hunter2');
    rmSync(vault.rootFile);
    await expect(vault.serve()).rejects.toThrow('openssl rand -base64 32');
  }, 30_000);

  test('a PEM file that is not there: named by its key and its path, and exit code 2', async () => {
    const vault = fresh();
    for (const [file, key] of [
      ['server.pem', 'vault.tls.cert'],
      ['operator-ca.pem', 'vault.operators.ca'],
    ] as const) {
      const path = join(vault.dir, file);
      const text = readFileSync(path);
      rmSync(path);
      const refused = vault.serve();
      await expect(refused).rejects.toThrow(`ended 2: skep: ${key}: cannot read ${path} (ENOENT)`);
      writeFileSync(path, text);
    }
  }, 30_000);

  test('a previous root key need not be there: SIGHUP finds it when it is', async () => {
    const vault = fresh('', {
      seal: 'seal: { current: { file: ./root.key }, previous: { file: ./root-previous.key } }',
    });
    const ada = vault.identity('operator/ada');
    const served = await serve(vault);
    expect((await served.call(ada, 'PUT', '/secret/a', { value: 'kept' })).status).toBe(201);
    renameSync(vault.rootFile, join(vault.dir, 'root-previous.key'));
    vault.writeRoot(randomBytes(32));
    served.signal('SIGHUP');
    await expect
      .poll(() => served.said(), { timeout: 15_000 })
      .toContain('tenant keys were wrapped again with the current root key');
    rmSync(join(vault.dir, 'root-previous.key'));
    served.signal('SIGHUP');
    expect(await served.call(ada, 'GET', '/secret/a')).toMatchObject({ json: { value: 'kept' } });
  }, 30_000);

  test('callers without a certificate leave an event: one for many', async () => {
    const vault = fresh();
    const served = await serve(vault);
    for (let i = 0; i < 20; i++) expect((await served.call(null, 'GET', '/secret/a')).status).toBe(401);
    const events = (): string[] =>
      served
        .said()
        .split('\n')
        .filter((line) => line.includes('no certificate that counts'));
    await expect.poll(() => events().length, { timeout: 15_000 }).toBe(1);
    expect(events()[0]).toContain('"target":"GET /secret/{name}"');
  }, 30_000);

  test('a clock that stands behind what this vault has seen', async () => {
    const vault = fresh();
    const served = await serve(vault);
    await served.end('SIGTERM');
    const later = Date.now() / 1000 + 3600;
    utimesSync(join(vault.dir, 'state', 'mark'), later, later);
    await expect(vault.serve()).rejects.toThrow('set the clock: certificates and tokens would come to life again');
  }, 30_000);

  test('a directory that takes no synced write, and policies that cannot be read', async () => {
    const vault = fresh();
    writeFileSync(join(vault.dir, 'state'), 'in the way');
    await expect(vault.serve()).rejects.toThrow(/state/);
    rmSync(join(vault.dir, 'state'));
    vault.policies('policies:\n  - { subject: a, path: b, capabilities: [fly] }\n');
    await expect(vault.serve()).rejects.toThrow(/policies\.yaml:2:\d+.*capabilities/s);
  }, 30_000);
});

test('a store that was put back is detected: not ready, nothing believed, until an operator accepts it', async () => {
  const vault = fresh();
  const ada = vault.identity('operator/ada');
  let served = await serve(vault);
  await served.call(ada, 'PUT', '/secret/a', { value: 'one' });
  await served.end('SIGTERM');
  const copy = join(vault.dir, 'copy');
  cpSync(join(vault.dir, 'store'), copy, { recursive: true });
  served = await serve(vault);
  await served.call(ada, 'PUT', '/secret/a', { value: 'two' });
  await served.end('SIGTERM');
  rmSync(join(vault.dir, 'store'), { recursive: true });
  cpSync(copy, join(vault.dir, 'store'), { recursive: true });
  served = await serve(vault);
  expect(await served.call(null, 'GET', '/ready')).toMatchObject({
    status: 503,
    json: { ready: false, reasons: [expect.stringContaining('an earlier copy was put back')] },
  });
  for (const [method, body] of [['GET'], ['PUT', { value: 'x' }], ['DELETE']] as const)
    expect(await served.call(ada, method, '/secret/a', body)).toMatchObject({
      status: 503,
      json: { code: 'vault.rolled_back' },
    });
  await served.end('SIGTERM');
  writeFileSync(vault.file, `${readFileSync(vault.file, 'utf8')}\naccept_rollback: true\n`);
  served = await serve(vault);
  expect((await served.call(null, 'GET', '/ready')).status).toBe(200);
  expect(await served.call(ada, 'GET', '/secret/a')).toMatchObject({ json: { value: 'one' } });
}, 40_000);

test('sealed with shares: sealed at every start, /ready 503, any three of five unseal, sealing seals again', async () => {
  const vault = fresh('', { seal: 'seal: { kind: shamir }' });
  const ada = vault.identity('operator/ada');
  let served = await serve(vault);
  expect(await served.call(null, 'GET', '/ready')).toMatchObject({
    status: 503,
    json: { reasons: ['the vault is sealed'] },
  });
  expect(await served.call(ada, 'PUT', '/secret/a', { value: 'x' })).toMatchObject({
    status: 503,
    json: { code: 'vault.sealed' },
  });
  const made = await served.call(ada, 'POST', '/seal/init', { shares: 5, threshold: 3 });
  const { shares } = made.json as { shares: string[] };
  expect([made.status, shares.length]).toEqual([201, 5]);
  expect(await served.call(ada, 'POST', '/seal/init', { shares: 5, threshold: 3 })).toMatchObject({
    status: 409,
    json: { code: 'vault.initialized' },
  });
  expect((await served.call(ada, 'PUT', '/secret/a', { value: 'kept' })).status).toBe(201);
  expect(await served.call(ada, 'POST', '/seal')).toMatchObject({ json: { sealed: true } });
  expect((await served.call(ada, 'GET', '/secret/a')).status).toBe(503);
  await served.end('SIGTERM');
  served = await serve(vault);
  const give = (share: string) => served.call(ada, 'POST', '/seal/unseal', { share });
  expect(await give(shares[1]!)).toMatchObject({ json: { sealed: true, progress: 1, threshold: 3 } });
  await give(shares[3]!);
  for (const garbage of ['garbage', Buffer.from('wrong').toString('base64'), `${shares[4]!}=`]) {
    const refused = await give(garbage);
    expect(refused).toMatchObject({ status: 400, json: { code: 'vault.bad_request' } });
    expect(await served.call(null, 'GET', '/seal')).toMatchObject({ json: { progress: 2 } }); // it does not count
  }
  expect(await give(Buffer.alloc(33, 9).toString('base64'))).toMatchObject({
    status: 400,
    json: { code: 'vault.unseal_failed' },
  });
  expect(await served.call(null, 'GET', '/seal')).toMatchObject({ json: { progress: 0 } });
  for (const at of [4, 0]) await give(shares[at]!);
  expect(await give(shares[2]!)).toMatchObject({ status: 200, json: { sealed: false } });
  expect(await served.call(ada, 'GET', '/secret/a')).toMatchObject({ json: { value: 'kept' } });
  expect(served.said()).not.toContain(shares[0]);
}, 40_000);

describe.skipIf(!hasEtcd)('on etcd', () => {
  test('ready while it answers, 503 and the contract’s names while it does not, and back again', async () => {
    const etcd = new Etcd();
    await etcd.start();
    try {
      const vault = fresh('', { backend: `{ kind: etcd, endpoints: ['${etcd.url}'], timeout: 500ms }` });
      const ada = vault.identity('operator/ada');
      const served = await serve(vault);
      expect((await served.call(ada, 'PUT', '/secret/a', { value: 'x' })).status).toBe(201);
      await etcd.stop('SIGKILL');
      expect(await served.call(null, 'GET', '/ready')).toMatchObject({
        status: 503,
        json: { reasons: [expect.stringContaining('vault-not-connected')] },
      });
      expect(await served.call(ada, 'GET', '/secret/a')).toMatchObject({
        status: 503,
        json: { code: 'vault-failed-to-retrieve-secret' },
      });
      expect(await served.call(ada, 'PUT', '/secret/a', { value: 'y' })).toMatchObject({
        status: 503,
        json: { code: 'vault-not-connected' },
      });
      await etcd.start();
      expect(await served.call(ada, 'GET', '/secret/a')).toMatchObject({ json: { value: 'x' } });
      expect((await served.call(null, 'GET', '/ready')).status).toBe(200);
    } finally {
      await etcd.remove();
    }
  }, 60_000);

  test('a vault starts before its etcd does, and opens when that answers', async () => {
    const etcd = new Etcd();
    await etcd.start();
    await etcd.stop();
    try {
      const vault = fresh('', { backend: `{ kind: etcd, endpoints: ['${etcd.url}'], timeout: 500ms }` });
      const served = await serve(vault);
      expect((await served.call(null, 'GET', '/ready')).status).toBe(503);
      await etcd.start();
      await expect.poll(async () => (await served.call(null, 'GET', '/ready')).status, { timeout: 10_000 }).toBe(200);
    } finally {
      await etcd.remove();
    }
  }, 60_000);
});

describe('policies', () => {
  test('rows alone count where there are some; SIGHUP reads them again', async () => {
    const vault = fresh();
    const rows = (path: string) =>
      `policies:\n  - { subject: operator/ada, path: ${path}, capabilities: [read, write] }\n  - { subject: "spiffe://vault.test/operator/b*", path: "**", capabilities: [list] }\n`;
    vault.policies(rows('secret/_node/app/*'));
    const [ada, bob, eve] = ['ada', 'bob', 'eve'].map((name) => vault.identity(`operator/${name}`)) as [
      never,
      never,
      never,
    ];
    const served = await serve(vault);
    const at = (name: string) => `/secret/${encodeURIComponent(name)}`;
    expect((await served.call(ada, 'PUT', at('app/a'), { value: 'x' })).status).toBe(201);
    expect((await served.call(ada, 'HEAD', at('app/a'))).status).toBe(200);
    for (const [who, method, name] of [
      [ada, 'GET', 'app/a/b'],
      [ada, 'GET', 'other'],
      [ada, 'DELETE', 'app/a'],
      [bob, 'GET', 'app/a'],
      [eve, 'GET', 'app/a'],
    ] as const)
      expect(await served.call(who, method, at(name))).toMatchObject({
        status: 403,
        json: { code: 'vault.forbidden' },
      });
    expect((await served.call(bob, 'GET', '/secret')).status).toBe(200);
    vault.policies(rows('secret/_node/other'));
    served.signal('SIGHUP');
    await expect.poll(async () => (await served.call(ada, 'GET', at('app/a'))).status, { timeout: 10_000 }).toBe(403);
    expect(served.said()).toMatch(/"action":"policy.deny"/);
    expect(served.said()).toMatch(/"action":"policy.grant"/);
  }, 30_000);
});

test('an operator whose certificate is revoked by its issuer is refused after SIGHUP; a list of another issuer refuses the start', async () => {
  const vault = fresh();
  const [ada, bob] = [vault.identity('operator/ada'), vault.identity('operator/bob')];
  vault.revocationList('operator-ca', []);
  writeFileSync(
    vault.file,
    readFileSync(vault.file, 'utf8').replace('./operator-ca.pem }', './operator-ca.pem, crl: ./operator-ca-crl.pem }'),
  );
  const served = await serve(vault);
  expect((await served.call(ada, 'GET', '/status')).status).toBe(200);
  vault.revocationList('operator-ca', [ada]);
  served.signal('SIGHUP');
  await expect.poll(async () => (await served.call(ada, 'GET', '/status')).status, { timeout: 10_000 }).toBe(401);
  expect((await served.call(bob, 'GET', '/status')).status).toBe(200);
  await served.end('SIGTERM');
  vault.authority('stranger');
  vault.revocationList('stranger', []);
  cpSync(join(vault.dir, 'stranger-crl.pem'), join(vault.dir, 'operator-ca-crl.pem'));
  await expect(vault.serve()).rejects.toThrow('has a list that no issuer of vault.operators.ca has signed');
  writeFileSync(join(vault.dir, 'operator-ca-crl.pem'), 'nothing');
  await expect(vault.serve()).rejects.toThrow('holds no revocation list in PEM');
}, 60_000);
