/** Certificates, CRL, OCSP and JWT over the vault's own TLS listener, judged by openssl, gnutls and jose. Contract: docs/contract/vault-pki.md §1, §2, §3, §4. */
import { X509Certificate, createPrivateKey } from 'node:crypto';
import { createLocalJWKSet, jwtVerify, type JSONWebKeySet } from 'jose';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Workbench } from '#test/actors/vault/pki/authority.ts';
import { HiveVault, newCsr } from '#test/kit/hive-vault.ts';

const vault = new HiveVault();
beforeAll(async () => {
  await vault.start();
}, 60_000);
afterAll(async () => {
  expect(await vault.end()).toBe(0);
  vault.close();
});

interface Issued {
  readonly serial: string;
  readonly certificate: string;
  readonly ca: string;
  readonly private_key?: string;
  readonly not_after: string;
}

async function issue(more: object = {}): Promise<Issued> {
  const made = await vault.call('POST', '/certificate/internal', { common_name: 'api', dns: ['api.test'], ...more });
  expect(made.status, made.bytes.toString()).toBe(201);
  return made.json;
}

/** A bench with the authority, a certificate and the list. */
async function judged(bench: Workbench, issued: Issued): Promise<void> {
  bench.write('ca.pem', issued.ca);
  bench.write('leaf.pem', issued.certificate);
  bench.write('crl.pem', (await vault.call('GET', '/pki/crl.pem', undefined, null)).bytes);
}

const strict = ['verify', '-x509_strict', '-crl_check', '-CAfile', 'ca.pem', '-CRLfile', 'crl.pem', 'leaf.pem'];

test('the authority’s certificate is renewed and JWT keys are rotated at an operator’s word: jose and openssl take both', async () => {
  using bench = new Workbench();
  const before = await issue();
  const jwt = async () => {
    const made = await vault.call('POST', '/jwt', { audience: 'billing' });
    return made.json as { token: string };
  };
  const old = await jwt();
  const renewed = await vault.call('POST', '/pki/ca/renew');
  expect(renewed.status).toBe(200);
  const { certificate, serial } = renewed.json as unknown as { certificate: string; serial: string };
  expect(new X509Certificate(certificate).serialNumber).toBe(serial);
  expect((await vault.call('GET', '/pki/ca', undefined, null)).bytes.toString()).toBe(certificate);
  const after = await issue();
  expect([before.ca === certificate, after.ca]).toEqual([false, certificate]);
  for (const [ca, leaf] of [
    [before.ca, after],
    [certificate, before],
  ] as const) {
    await judged(bench, { ...leaf, ca });
    expect(bench.run('openssl', ...strict).text).toBe('leaf.pem: OK\n');
  }
  const rotated = await vault.call('POST', '/jwt/rotate', {});
  expect(rotated).toMatchObject({ status: 200, json: { keys: [{}, {}] } });
  const keySet = async () =>
    createLocalJWKSet((await vault.call('GET', '/.well-known/jwks.json', undefined, null)).json);
  const during = await keySet();
  await jwtVerify(old.token, during, { audience: 'billing' });
  await jwtVerify((await jwt()).token, during, { audience: 'billing' });
  await vault.call('POST', '/jwt/rotate', { drop_previous: true });
  const dropped = await keySet();
  await expect(jwtVerify(old.token, dropped, { audience: 'billing' })).rejects.toThrow('no applicable key');
  await jwtVerify((await jwt()).token, dropped, { audience: 'billing' });
  for (const path of ['/jwt/rotate', '/pki/ca/renew'])
    expect((await vault.call('POST', path, {}, null)).status).toBe(401);
}, 30_000);

test('a certificate of the vault passes openssl with its list, lives 90 days, and is refused once it is revoked', async () => {
  using bench = new Workbench();
  const issued = await issue();
  const days = (Date.parse(issued.not_after) - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(89.9);
  expect(days).toBeLessThan(90.1);
  await judged(bench, issued);
  expect(bench.run('openssl', ...strict).text).toBe('leaf.pem: OK\n');
  const first = await vault.call('DELETE', '/certificate/internal', { serial: issued.serial, reason: 'keyCompromise' });
  expect(first).toMatchObject({
    status: 200,
    json: { serial: issued.serial, state: 'revoked', reason: 'keyCompromise' },
  });
  const again = await vault.call('DELETE', '/certificate/internal', { certificate: issued.certificate });
  expect(again.json).toEqual(first.json);
  await judged(bench, issued);
  expect(bench.run('openssl', ...strict).text).toContain('certificate revoked');
});

test('a key that is made here leaves once; a request keeps its own', async () => {
  const made = await issue();
  expect(new X509Certificate(made.certificate).checkPrivateKey(createPrivateKey(made.private_key!))).toBe(true);
  const { csr } = newCsr();
  expect(await issue({ csr })).not.toHaveProperty('private_key');
  const kept = await vault.call('GET', `/certificate/internal/${made.serial.toLowerCase()}`);
  expect(kept).toMatchObject({ status: 200, json: { serial: made.serial, state: 'valid', dns: ['api.test'] } });
  expect(kept.bytes.toString()).not.toContain('PRIVATE');
});

test('?days=N finds what ends soon', async () => {
  const soon = await issue({ ttl: '48h' });
  const late = await issue({ ttl: '2000h' });
  const list = async (days: number): Promise<string[]> => {
    const { json } = await vault.call('GET', `/certificate/internal?days=${days}&limit=1000`);
    return (json as { certificates: Issued[] }).certificates.map(({ serial }) => serial);
  };
  expect(await list(3)).toContain(soon.serial);
  expect(await list(3)).not.toContain(late.serial);
  expect(await list(100)).toEqual(expect.arrayContaining([soon.serial, late.serial]));
  expect((await vault.call('GET', '/certificate/internal?days=x')).status).toBe(400);
});

test.each<[object, string]>([
  [{}, 'needs a name'],
  [{ csr: 'x' }, 'csr:'],
  [{ dns: ['a b'] }, 'DNS'],
  [{ ip: ['300.1.1.1'] }, 'address'],
  [{ uri: ['spiffe://hive.test/operator/eve'] }, '/operator/'],
  [{ uri: ['spiffe://hive.test/node/1'] }, '/node/'],
  [{ uri: ['spiffe://other.test/a'] }, 'trust domain'],
  [{ common_name: 'x', ttl: '9999999h' }, 'ttl'],
  [{ common_name: 'x', ttl: 'soon' }, 'ttl'],
  [{ common_name: 'x', more: 1 }, 'more'],
])('an order that cannot be is refused, and says why: %j', async (body, why) => {
  const answer = await vault.call('POST', '/certificate/internal', body);
  expect(answer).toMatchObject({ status: 400, json: { code: 'vault.bad_request' } });
  expect(answer.bytes.toString()).toContain(why);
});

test('a serial that was never issued is 404, and so is a certificate of another authority', async () => {
  const none = { status: 404, json: { code: 'vault.certificate_not_found' } };
  expect(await vault.call('DELETE', '/certificate/internal', { serial: '0A' })).toMatchObject(none);
  expect(await vault.call('GET', '/certificate/internal/0A')).toMatchObject(none);
  expect(await vault.call('DELETE', '/certificate/internal', { certificate: vault.operator.cert })).toMatchObject(none);
});

test('no caller without an operator’s certificate orders, reads or revokes', async () => {
  const issued = await issue({ uri: ['spiffe://hive.test/service/x'] });
  const badge = { cert: issued.certificate, key: issued.private_key! };
  for (const [method, path, body] of [
    ['POST', '/certificate/internal', { common_name: 'x' }],
    ['GET', '/certificate/internal', undefined],
    ['DELETE', '/certificate/internal', { serial: issued.serial }],
    ['POST', '/jwt', { audience: 'a' }],
  ] as const) {
    expect((await vault.call(method, path, body, null)).status, path).toBe(401);
    expect((await vault.call(method, path, body, badge)).status, path).toBe(403);
  }
});

test('the list is DER and PEM, valid for a day, and not sent again to a caller that has it', async () => {
  using bench = new Workbench();
  const { headers, bytes } = await vault.call('GET', '/pki/crl', undefined, null);
  expect(headers['content-type']).toBe('application/pkix-crl');
  bench.write('crl.der', bytes);
  bench.write('ca.pem', (await vault.call('GET', '/pki/ca', undefined, null)).bytes);
  const shown = bench.run('openssl', 'crl', '-inform', 'DER', '-in', 'crl.der', '-CAfile', 'ca.pem', '-text', '-noout');
  expect(shown.text).toContain('verify OK');
  const known = { 'If-None-Match': headers['etag'] as string };
  expect((await vault.call('GET', '/pki/crl', undefined, null, known)).status).toBe(304);
  await vault.call('DELETE', '/certificate/internal', { serial: (await issue()).serial });
  expect((await vault.call('GET', '/pki/crl', undefined, null, known)).status).toBe(200);
  expect((await vault.call('GET', '/pki/crl.pem', undefined, null)).bytes.toString()).toMatch(
    /^-----BEGIN X509 CRL-----/,
  );
});

test('openssl asks the responder: good, revoked, unknown, with a nonce and by GET', async () => {
  using bench = new Workbench();
  const [good, revoked] = [await issue(), await issue()];
  await vault.call('DELETE', '/certificate/internal', { serial: revoked.serial, reason: 'superseded' });
  bench.write('ca.pem', good.ca);
  bench.write('good.pem', good.certificate);
  bench.write('revoked.pem', revoked.certificate);
  const asked = ['ocsp', '-issuer', 'ca.pem', '-cert', 'good.pem', '-cert', 'revoked.pem', '-serial', '0x0ABC'];
  const judge = (der: Buffer): string => {
    bench.write('response.der', der);
    const files = ['-CAfile', 'ca.pem', '-reqin', 'request.der', '-respin', 'response.der', '-no_nonce'];
    return bench.run('openssl', ...asked, ...files).text;
  };
  for (const nonce of ['-nonce', '-no_nonce']) {
    bench.run('openssl', ...asked, nonce, '-reqout', 'request.der');
    const request = readFileSync(bench.path('request.der'));
    const type = { 'Content-Type': 'application/ocsp-request' };
    const posted = await vault.call('POST', '/pki/ocsp', request, null, type);
    expect(posted.headers['content-type']).toBe('application/ocsp-response');
    const inPath = encodeURIComponent(request.toString('base64'));
    const got = await vault.call('GET', `/pki/ocsp/${inPath}`, undefined, null);
    for (const { bytes } of [posted, got]) {
      expect(judge(bytes)).toContain('Response verify OK');
      expect(judge(bytes)).toMatch(/good\.pem: good[\s\S]*revoked\.pem: revoked[\s\S]*0x0ABC: unknown/);
    }
    expect(got.headers['cache-control']).toMatch(nonce === '-nonce' ? /^no-store$/ : /^max-age=3[56]\d\d, public/);
  }
  const junk = await vault.call('POST', '/pki/ocsp', Buffer.from('junk'), null);
  bench.write('junk.der', junk.bytes);
  expect(bench.run('openssl', 'ocsp', '-respin', 'junk.der', '-noverify').text).toContain('malformedrequest');
});

test('a caller that asks behind the answer to a revocation reads it, while others ask for the same all the time', async () => {
  using bench = new Workbench();
  for (let round = 0; round < 10; round++) {
    const { ca, certificate, serial } = await issue();
    bench.write('ca.pem', ca);
    bench.write('one.pem', certificate);
    const asked = ['ocsp', '-issuer', 'ca.pem', '-cert', 'one.pem', '-no_nonce'];
    bench.run('openssl', ...asked, '-reqout', 'request.der');
    const path = `/pki/ocsp/${encodeURIComponent(readFileSync(bench.path('request.der')).toString('base64'))}`;
    const get = () => vault.call('GET', path, undefined, null);
    const judge = (der: Buffer): string => {
      bench.write('response.der', der);
      return bench.run('openssl', ...asked.slice(0, 5), '-CAfile', 'ca.pem', '-respin', 'response.der', '-no_nonce')
        .text;
    };
    const ended = new AbortController();
    const others = Array.from({ length: 4 }, async () => {
      while (!ended.signal.aborted) await get();
    });
    expect(judge((await get()).bytes)).toContain('one.pem: good');
    await vault.call('DELETE', '/certificate/internal', { serial, reason: 'superseded' });
    const { bytes } = await get();
    ended.abort();
    await Promise.all(others);
    expect(judge(bytes)).toContain('one.pem: revoked');
  }
});

test('jose verifies a JWT of the vault; its own verification says why another does not count', async () => {
  const made = await vault.call('POST', '/jwt', { audience: 'db', claims: { role: 'reader' } });
  expect(made).toMatchObject({ status: 200, json: { token_type: 'JWT', expires_in: 300 } });
  const { token } = made.json as { token: string };
  const set = (await vault.call('GET', '/.well-known/jwks.json', undefined, null)).json as JSONWebKeySet;
  const { payload } = await jwtVerify(token, createLocalJWKSet(set), { audience: 'db', algorithms: ['ES256'] });
  expect(payload).toMatchObject({ sub: 'spiffe://hive.test/operator/ada', role: 'reader' });
  const verify = async (body: object) => (await vault.call('POST', '/jwt/verify', body)).json;
  expect(await verify({ token })).toMatchObject({ valid: true, claims: { role: 'reader' } });
  expect(await verify({ token, audience: 'queue' })).toEqual({ valid: false, reason: 'audience' });
  expect(await verify({ token: `${token}x` })).toEqual({ valid: false, reason: 'signature' });
  expect((await vault.call('POST', '/jwt', { audience: 'db', claims: { sub: 'eve' } })).status).toBe(400);
});

test('after a crash every certificate, every revocation and the numbers of the lists are there', async () => {
  const [good, revoked] = [await issue(), await issue()];
  await vault.call('DELETE', '/certificate/internal', { serial: revoked.serial });
  using bench = new Workbench();
  const numberNow = async (): Promise<number> => {
    bench.write('crl.der', (await vault.call('GET', '/pki/crl', undefined, null)).bytes);
    const said = bench.run('openssl', 'crl', '-inform', 'DER', '-in', 'crl.der', '-noout', '-crlnumber').text;
    return parseInt(said.replace(/^crlNumber=0x/, ''), 16);
  };
  const before = await numberNow();
  await vault.end('SIGKILL');
  await vault.start();
  expect(await numberNow()).toBeGreaterThan(before);
  await judged(bench, good);
  expect(bench.run('openssl', ...strict).text).toBe('leaf.pem: OK\n');
  await judged(bench, revoked);
  expect(bench.run('openssl', ...strict).text).toContain('certificate revoked');
}, 60_000);
