/** No secret, key or token leaves the vault by another way than the answer to the caller that asked for it. Contract: docs/contract/vault.md §4.1, §8.4. */
import { mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newCsr } from '#test/kit/hive-vault.ts';
import type { ServedVault } from '#test/kit/vault-process.ts';
import { useVaults } from './use-vaults.ts';

const { fresh, serve } = useVaults();

test('planted values are in no log line, no error, no metric, no file', async () => {
  const vault = fresh();
  const ada = vault.identity('operator/ada');
  const root = readFileSync(vault.rootFile, 'utf8').trim();
  const served = await serve(vault);
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
  const vault = fresh();
  const ada = vault.identity('operator/ada');
  const served = await serve(vault);
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
