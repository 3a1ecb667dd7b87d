/** `skep vault …` against a served vault. Contract: docs/contract/vault.md §8. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { VaultProcess, type Identity, type ServedVault } from '#test/kit/vault-process.ts';
import { fileOf, skep } from './recorder.ts';

const vault = new VaultProcess();
let served: ServedVault;
let ada: Identity;
let env: Record<string, string>;

beforeAll(async () => {
  vault.open();
  ada = vault.identity('operator/ada');
  served = await vault.serve(['--datacenter', 'dc9', '--cluster', 'blue', '--sid', 'v-7', '--mode', 'root']);
  const files = {
    SKEP_OPERATOR_CERT: ada.cert,
    SKEP_OPERATOR_KEY: ada.key,
    SKEP_VAULT_CA: join(vault.dir, 'server-ca.pem'),
  };
  env = { SKEP_VAULT_URL: served.url, ...files };
}, 60_000);

afterAll(async () => {
  await served.end('SIGTERM');
  vault.close();
});

test('put, get, exists, list, delete', async () => {
  expect(await skep('vault put db/pw s3cret --cas 0', env)).toMatchObject({
    code: 0,
    out: expect.stringContaining('version'),
  });
  expect(await skep('vault get db/pw', env)).toEqual({ code: 0, out: 's3cret', err: '' });
  expect(JSON.parse((await skep('vault get db/pw -o json', env)).out)).toMatchObject({ version: 1, value: 's3cret' });
  expect(await skep('vault put db/pw other --cas 0', env)).toMatchObject({
    code: 1,
    err: expect.stringContaining('vault.cas_mismatch'),
  });
  expect(await skep('vault exists db/pw', env)).toEqual({ code: 0, out: 'yes, version 1\n', err: '' });
  expect(await skep('vault exists absent', env)).toMatchObject({ code: 1, err: 'no\n' });
  expect(await skep('vault list db/', env)).toEqual({ code: 0, out: 'db/pw\n', err: '' });
  expect((await skep('vault get db/pw --tenant acme:shop:dev:main', env)).err).toContain('vault.secret_not_found');
  expect(await skep('vault delete db/pw', env)).toMatchObject({ code: 0 });
  expect(await skep('vault get db/pw', env)).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringContaining('vault.secret_not_found'),
  });
});

test('status tells the flags of the server', async () => {
  const { code, out } = await skep('vault status -o json', env);
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ datacenter: 'dc9', cluster: 'blue', sid: 'v-7', mode: 'root', ready: true });
});

test('flags outrank variables; without a certificate the vault says that one is missing', async () => {
  const { SKEP_OPERATOR_CERT: _cert, SKEP_OPERATOR_KEY: _key, ...anonymous } = env;
  expect(await skep('vault status', anonymous)).toMatchObject({
    code: 1,
    err: expect.stringMatching(/vault\.unauthorized.*\n {4}show a certificate: --operator-cert/),
  });
  const flags = `--operator-cert ${ada.cert} --operator-key ${ada.key}`;
  expect((await skep(`vault status ${flags}`, anonymous)).code).toBe(0);
  expect(await skep(`vault status --operator-cert ${ada.cert}`, anonymous)).toMatchObject({
    code: 2,
    err: expect.stringContaining('belong together'),
  });
  expect(await skep('vault status --operator-cert /no/such', env)).toMatchObject({
    code: 2,
    err: expect.stringContaining('ENOENT'),
  });
});

test('a vault that does not answer has the contract’s name', async () => {
  const down = { ...env, SKEP_VAULT_URL: 'https://127.0.0.1:1' };
  expect(await skep('vault get a', down)).toMatchObject({
    code: 1,
    err: expect.stringContaining('vault-not-connected'),
  });
});

test.each([
  'root rotate-plan',
  'root rotate-execute',
  'backend migrate',
  'signer test',
  'policy lint',
  'migrate-service intake',
])('vault %s is scaffolded: 501', async (words) => {
  expect(await skep(`vault ${words}`, env)).toMatchObject({
    code: 1,
    err: expect.stringContaining('vault.not_implemented'),
  });
});

test.each(['bootstrap', 'bootstrap-dev'])('config generate %s prints a file that loads', async (profile) => {
  const { code, out } = await skep(`vault config generate ${profile}`);
  expect(code).toBe(0);
  expect(parse(out)).toMatchObject({ profile: profile === 'bootstrap' ? 'production' : 'development' });
  const { loadPlatform } = await import('#config/load.ts');
  const loaded = loadPlatform(fileOf(out), { env: {}, service: 'vault', flags: { 'vault.enabled': true } });
  expect(loaded).toHaveProperty('platform');
});

test('a file without its -f, a mode that is none', async () => {
  expect((await skep('vault server')).code).toBe(2);
  expect((await skep(`vault server -f ${vault.file} --mode leaf`)).code).toBe(2);
  expect(readFileSync(vault.file, 'utf8')).toContain('trust_domain');
});
