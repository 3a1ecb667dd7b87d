/** What a production vault refuses at its start, what `/ready` says, seal and unseal, rollback. Contract: docs/contract/vault.md §2, §3. */
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { Etcd, hasEtcd } from '#test/kit/etcd.ts';
import { newCsr } from '#test/kit/hive-vault.ts';
import { VaultProcess } from '#test/kit/vault-process.ts';
import type { ServedVault } from '#test/kit/vault-process.ts';
import { fileOf, skep } from '#test/runtime/cli/recorder.ts';

let vault: VaultProcess;
const running: ServedVault[] = [];

function fresh(...args: Parameters<VaultProcess['open']>): VaultProcess {
  vault = new VaultProcess();
  vault.open(...args);
  return vault;
}

async function serve(): Promise<ServedVault> {
  const served = await vault.serve();
  running.push(served);
  return served;
}

afterEach(async () => {
  for (const one of running.splice(0)) await one.end('SIGKILL');
  vault?.close();
});

describe('production refuses at the start', () => {
  const tls = 'tls: { cert: ./c.pem, key: ./k.pem }\n';
  const key = 'seal: { current: { file: ./root.key } }\n';
  test.each([
    ['the file backend', `${tls}${key}backend: { kind: file }`, 'production refuses the file backend'],
    ['a vault without a root key', tls, 'production needs a root key'],
    ['a listener without TLS', key, 'the vault listens with TLS only'],
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
    fresh();
    const served = await serve();
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
    fresh();
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
    fresh('', { seal: 'seal: { current: { file: ./root.key }, previous: { file: ./root-previous.key } }' });
    const ada = vault.identity('operator/ada');
    const served = await serve();
    expect((await served.call(ada, 'PUT', '/secret/a', { value: 'kept' })).status).toBe(201);
    renameSync(vault.rootFile, join(vault.dir, 'root-previous.key'));
    vault.writeRoot(randomBytes(32));
    served.signal('SIGHUP');
    await expect.poll(() => served.said(), { timeout: 15_000 }).toContain('a new root key');
    rmSync(join(vault.dir, 'root-previous.key'));
    served.signal('SIGHUP');
    expect(await served.call(ada, 'GET', '/secret/a')).toMatchObject({ json: { value: 'kept' } });
  }, 30_000);

  test('callers without a certificate leave an event: one for many', async () => {
    fresh();
    const served = await serve();
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
    fresh();
    const served = await serve();
    await served.end('SIGTERM');
    const later = Date.now() / 1000 + 3600;
    utimesSync(join(vault.dir, 'state', 'mark'), later, later);
    await expect(vault.serve()).rejects.toThrow('set the clock: certificates and tokens would come to life again');
  }, 30_000);

  test('a directory that takes no synced write, and policies that cannot be read', async () => {
    fresh();
    writeFileSync(join(vault.dir, 'state'), 'in the way');
    await expect(vault.serve()).rejects.toThrow(/state/);
    rmSync(join(vault.dir, 'state'));
    vault.policies('policies:\n  - { subject: a, path: b, capabilities: [fly] }\n');
    await expect(vault.serve()).rejects.toThrow(/policies\.yaml:2:\d+.*capabilities/s);
  }, 30_000);
});

test('a store that was put back is detected: not ready, nothing believed, until an operator accepts it', async () => {
  fresh();
  const ada = vault.identity('operator/ada');
  let served = await serve();
  await served.call(ada, 'PUT', '/secret/a', { value: 'one' });
  await served.end('SIGTERM');
  const copy = join(vault.dir, 'copy');
  cpSync(join(vault.dir, 'store'), copy, { recursive: true });
  served = await serve();
  await served.call(ada, 'PUT', '/secret/a', { value: 'two' });
  await served.end('SIGTERM');
  rmSync(join(vault.dir, 'store'), { recursive: true });
  cpSync(copy, join(vault.dir, 'store'), { recursive: true });
  served = await serve();
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
  served = await serve();
  expect((await served.call(null, 'GET', '/ready')).status).toBe(200);
  expect(await served.call(ada, 'GET', '/secret/a')).toMatchObject({ json: { value: 'one' } });
}, 40_000);

test('sealed with shares: sealed at every start, /ready 503, any three of five unseal, sealing seals again', async () => {
  fresh('', { seal: 'seal: { kind: shamir }' });
  const ada = vault.identity('operator/ada');
  let served = await serve();
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
  served = await serve();
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
      fresh('', { backend: `{ kind: etcd, endpoints: ['${etcd.url}'], timeout: 500ms }` });
      const ada = vault.identity('operator/ada');
      const served = await serve();
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
      fresh('', { backend: `{ kind: etcd, endpoints: ['${etcd.url}'], timeout: 500ms }` });
      const served = await serve();
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
    fresh();
    const rows = (path: string) =>
      `policies:\n  - { subject: operator/ada, path: ${path}, capabilities: [read, write] }\n  - { subject: "spiffe://vault.test/operator/b*", path: "**", capabilities: [list] }\n`;
    vault.policies(rows('secret/_node/app/*'));
    const [ada, bob, eve] = ['ada', 'bob', 'eve'].map((name) => vault.identity(`operator/${name}`)) as [
      never,
      never,
      never,
    ];
    const served = await serve();
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

test('planted values are in no log line, no error, no metric, no file', async () => {
  fresh();
  const ada = vault.identity('operator/ada');
  const root = readFileSync(vault.rootFile, 'utf8').trim();
  const served = await serve();
  const planted = 'hunter2-planted-value';
  const texts: string[] = [];
  for (const [method, body] of [
    ['PUT', { value: planted }],
    ['PUT', { value: planted, cas: 7 }],
    ['PUT', `{"value":"${planted}",`],
    ['PUT', { value: planted, encoding: 'base64' }],
    ['PUT', { value: [planted] }],
    ['DELETE', undefined],
  ] as const)
    texts.push((await served.call(ada, method, '/secret/a', body)).text);
  await served.call(ada, 'PUT', '/secret/a', { value: planted });
  expect(await served.call(ada, 'GET', '/secret/a')).toMatchObject({ json: { value: planted } });
  texts.push(
    (await served.call(ada, 'GET', '/secret/a/versions')).text,
    (await served.call(ada, 'GET', '/status')).text,
  );
  const metrics = await (await fetch(`${served.operations}/metrics`)).text();
  texts.push(metrics);
  expect(metrics).toMatch(/^vault_operations_total\{vault_action="secret.write",outcome="ok"\} 2$/m);
  expect(metrics).toMatch(/^http_server_request_duration_seconds_count\{http_request_method="PUT"\} 6$/m);
  expect(metrics).toMatch(/^vault_backend_up 1$/m);
  // Nor in an image of its memory, should it die of a signal.
  expect(readFileSync(`/proc/${served.pid}/limits`, 'utf8')).toMatch(/^Max core file size\s+0\s+0/m);
  await served.end('SIGTERM');
  texts.push(served.said());
  mkdirSync(join(vault.dir, 'kept'));
  for (const folder of ['store', 'state'])
    for (const name of readdirSync(join(vault.dir, folder)))
      texts.push(readFileSync(join(vault.dir, folder, name), 'latin1'));
  const all = texts.join('\n');
  for (const needle of [
    planted,
    Buffer.from(planted).toString('base64').slice(0, -2),
    root,
    Buffer.from(root, 'base64').toString('latin1'),
  ])
    expect(all.includes(needle)).toBe(false);
}, 30_000);

test('keys and tokens of certificates, JWTs, nodes and workloads are in no log line, error, metric or file', async () => {
  fresh();
  const ada = vault.identity('operator/ada');
  const served = await serve();
  const texts: string[] = [];
  const post = async (path: string, body: object, as: Parameters<ServedVault['call']>[0] = ada) => {
    const told = await served.call(as, 'POST', path, body);
    expect([path, told.status, told.text.slice(0, 200)]).toEqual([
      path,
      expect.toSatisfy((status: number) => status < 300),
      expect.anything(),
    ]);
    return told.json as Record<string, string>;
  };
  const made = await post('/certificate/internal', { common_name: 'db', dns: ['db.test'] });
  const jwt = await post('/jwt', { audience: 'db' });
  const ticket = await post('/join-token', { scope: 'dc=dc1,cluster=main' });
  const { csr, key } = newCsr();
  const order = { token: ticket['token'], csr, name: 'node-1', datacenter: 'dc1', cluster: 'main' };
  const node = await post('/node/join', order, null);
  texts.push((await served.call(null, 'POST', '/node/join', { ...order, csr: newCsr().csr, name: 'node-2' })).text);
  texts.push((await served.call(ada, 'POST', '/jwt/verify', { token: `${jwt['token']}x` })).text);
  texts.push(
    (await served.call(ada, 'GET', '/nodes')).text,
    (await served.call(ada, 'GET', '/certificate/internal')).text,
  );
  texts.push(await (await fetch(`${served.operations}/metrics`)).text());
  await served.end('SIGTERM');
  texts.push(served.said(), everything(join(vault.dir, 'store')), everything(join(vault.dir, 'state')));
  const body = (pem: string): string => pem.split('\n')[1]!;
  const all = texts.join('\n');
  const secrets = [
    body(made['private_key']!),
    body(key),
    jwt['token']!.split('.')[2]!,
    ticket['token']!.slice(-43),
    node['refresh_token']!.slice(-43),
  ];
  for (const [at, secret] of secrets.entries()) {
    expect([at, secret.length > 20]).toEqual([at, true]);
    expect([at, all.includes(secret), all.includes(Buffer.from(secret, 'base64').toString('latin1'))]).toEqual([
      at,
      false,
      false,
    ]);
  }
}, 30_000);

/** Every file below a directory. */
function everything(path: string): string {
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map(({ name, parentPath }) => readFileSync(join(parentPath, name), 'latin1')).join('\n');
}

test('an operator whose certificate his issuer revokes is nobody after SIGHUP; a list of a stranger refuses the start', async () => {
  fresh();
  const [ada, bob] = [vault.identity('operator/ada'), vault.identity('operator/bob')];
  vault.revocationList('operator-ca', []);
  writeFileSync(
    vault.file,
    readFileSync(vault.file, 'utf8').replace('./operator-ca.pem }', './operator-ca.pem, crl: ./operator-ca-crl.pem }'),
  );
  const served = await serve();
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
