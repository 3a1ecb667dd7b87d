/** The clients that people have ask a running node: openssl, gnutls and curl, most of them in HTTP/1.0, over TLS and over the plain listener. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Workbench } from '#test/actors/vault/pki/authority.ts';
import { HiveVault } from '#test/kit/hive-vault.ts';

const run = promisify(execFile);

/** Both streams of a command that may fail. Not the bench's own: that one waits, and so would everything else of this test. */
async function said(bench: Workbench, command: string, ...args: string[]): Promise<string> {
  const done = await run(command, args, { cwd: bench.path('.'), timeout: 20_000 }).catch((error: unknown) => error);
  const { stdout, stderr } = done as { stdout: string; stderr: string };
  return `${stdout}${stderr}`;
}

const vault = new HiveVault();
beforeAll(async () => {
  await vault.start(`  public_url: https://vault.example.test:7999`);
}, 60_000);
afterAll(async () => {
  expect(await vault.end()).toBe(0);
  vault.close();
});

interface Issued {
  readonly serial: string;
  readonly certificate: string;
  readonly ca: string;
}

async function issue(bench: Workbench): Promise<{ good: Issued; revoked: Issued }> {
  const one = async (): Promise<Issued> =>
    (await vault.call('POST', '/certificate/internal', { common_name: 'api', dns: ['api.test'] })).json;
  const [good, revoked] = [await one(), await one()];
  await vault.call('DELETE', '/certificate/internal', { serial: revoked.serial, reason: 'superseded' });
  bench.write('ca.pem', good.ca);
  bench.write('good.pem', good.certificate);
  bench.write('revoked.pem', revoked.certificate);
  bench.write('tls-ca.pem', vault.authority.pem);
  return { good, revoked };
}

test('openssl ocsp -url asks a running node, over TLS and over the plain listener', async () => {
  using bench = new Workbench();
  await issue(bench);
  const asked = ['ocsp', '-issuer', 'ca.pem', '-CAfile', 'ca.pem', '-cert', 'good.pem', '-cert', 'revoked.pem'];
  for (const url of [vault.url, vault.listener('pki')]) {
    const told = await said(bench, 'openssl', ...asked, '-url', `${url}/pki/ocsp`);
    expect(told).toContain('Response verify OK');
    expect(told).toMatch(/good\.pem: good[\s\S]*revoked\.pem: revoked/);
  }
}, 60_000);

test('ocsptool --ask asks a running node', async () => {
  using bench = new Workbench();
  await issue(bench);
  for (const [leaf, word] of [
    ['good.pem', /Certificate Status: good/],
    ['revoked.pem', /Certificate Status: revoked/],
  ] as const) {
    const told = await said(bench, 'ocsptool', `--ask=${vault.listener('pki')}/pki/ocsp`, '--load-cert', leaf, '--load-issuer', 'ca.pem', '--load-signer', 'ca.pem'); // prettier-ignore
    expect(told).toMatch(word);
    expect(told).toMatch(/Verifying OCSP Response: Success/);
  }
}, 60_000);

test('curl -0 fetches the list and the authority, over TLS and over the plain listener; openssl takes both', async () => {
  using bench = new Workbench();
  await issue(bench);
  for (const url of [vault.url, vault.listener('pki')]) {
    const got = await said(
      bench,
      'curl',
      '-0',
      '-sS',
      '-f',
      '--cacert',
      'tls-ca.pem',
      '-o',
      'crl.der',
      `${url}/pki/crl`,
    );
    expect(got).toBe('');
    await said(bench, 'curl', '-0', '-sS', '-f', '--cacert', 'tls-ca.pem', '-o', 'got.pem', `${url}/pki/ca`);
    const shown = await said(
      bench,
      'openssl',
      'crl',
      '-inform',
      'DER',
      '-in',
      'crl.der',
      '-CAfile',
      'got.pem',
      '-noout',
    );
    expect(shown).toContain('verify OK');
  }
}, 60_000);

test('certificates name the plain listener, for revocation must not need what it is asked about', async () => {
  using bench = new Workbench();
  const { good } = await issue(bench);
  const port = new URL(vault.listener('pki')).port;
  expect(new X509Certificate(good.certificate).infoAccess).toContain(`URI:http://vault.example.test:${port}/pki/ocsp`);
  const text = await said(bench, 'openssl', 'x509', '-in', 'good.pem', '-noout', '-text');
  expect(text).toContain(`URI:http://vault.example.test:${port}/pki/crl`);
});

test('the plain listener has what the authority publishes and nothing else', async () => {
  const at = vault.listener('pki');
  expect((await fetch(`${at}/pki/crl.pem`)).status).toBe(200);
  for (const path of ['/ready', '/seal', '/secret/a', '/certificate/internal', '/jwt', '/.well-known/jwks.json', '/'])
    expect((await fetch(at + path)).status, path).toBe(404);
  expect((await fetch(`${at}/pki/ca`, { method: 'POST' })).status).toBe(405);
  expect((await fetch(`${at}/pki/ca/renew`, { method: 'POST' })).status).toBe(404);
});
