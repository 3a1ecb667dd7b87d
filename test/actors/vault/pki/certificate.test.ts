import './reflect.ts';
import { X509Certificate as PeculiarCertificate } from '@peculiar/x509';
import { fc } from '#test/kit/property.ts';
import { X509Certificate, createPublicKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { readCertificate, type CertificateFacts } from '#actors/vault/pki/read-certificate.ts';
import { RevocationList } from '#actors/vault/pki/revocation-list.ts';
import { newSerial, parseSerial, serialBytes, serialText } from '#actors/vault/pki/serial.ts';
import { toPem } from '#actors/vault/pki/pem.ts';
import { Workbench, damaged, newAuthority, type Authority, type LeafOptions } from './authority.ts';

const names = {
  dns: ['api.example.org', '*.example.org'],
  ip: ['10.0.0.7', '2001:db8::1'],
  uri: ['spiffe://hive.local/service/api'],
};
const places = { crlUrl: 'http://127.0.0.1:7999/pki/crl', ocspUrl: 'http://127.0.0.1:7999/pki/ocsp' };

function written(bench: Workbench, authority: Authority, options: LeafOptions): ReturnType<Authority['leaf']> {
  const leaf = authority.leaf(options);
  bench.write('ca.pem', authority.pem);
  bench.write('leaf.pem', leaf.pem);
  const { der } = new RevocationList(authority.issuer).sign(1, Date.now());
  bench.write('crl.pem', toPem('X509 CRL', der));
  return leaf;
}

test.each<[string, LeafOptions]>([
  ['every kind of name', { commonName: 'api', names, places }],
  ['no subject at all', { names }],
  ['no names', { commonName: 'bare' }],
])('openssl verifies strictly, with the list: %s', (_name, options) => {
  using bench = new Workbench();
  written(bench, newAuthority(), options);
  const strict = ['verify', '-x509_strict', '-crl_check', '-CAfile', 'ca.pem', '-CRLfile', 'crl.pem', 'leaf.pem'];
  expect(bench.run('openssl', ...strict).text).toBe('leaf.pem: OK\n');
  const purposes = ['sslserver', 'sslclient'];
  for (const purpose of purposes)
    expect(bench.run('openssl', 'verify', '-purpose', purpose, '-CAfile', 'ca.pem', 'leaf.pem').ok).toBe(true);
});

test('certtool verifies the chain and shows what stands in it', () => {
  using bench = new Workbench();
  written(bench, newAuthority(), { commonName: 'api', names, places });
  const verdict = bench.run('certtool', '--verify', '--load-ca-certificate', 'ca.pem', '--infile', 'leaf.pem');
  expect(verdict.text).toContain('Chain verification output: Verified. The certificate is trusted.');
  const shown = bench.run('certtool', '--certificate-info', '--infile', 'leaf.pem').text;
  for (const line of [
    'URI: spiffe://hive.local/service/api',
    'IPAddress: 2001:db8::1',
    'Digital signature',
    places.crlUrl,
  ])
    expect(shown).toContain(line);
});

test('the authority signs for end entities only: a certificate below a leaf is refused', () => {
  const authority = newAuthority();
  const ca = new X509Certificate(authority.der);
  expect(ca.ca).toBe(true);
  expect(new X509Certificate(authority.leaf({ commonName: 'x' }).der).ca).toBe(false);
  using bench = new Workbench();
  bench.write('ca.pem', authority.pem);
  expect(bench.run('openssl', 'x509', '-in', 'ca.pem', '-noout', '-ext', 'basicConstraints').text).toContain(
    'pathlen:0',
  );
});

test('Node, @peculiar/x509 and our reader see the same facts', async () => {
  const authority = newAuthority();
  const leaf = authority.leaf({ commonName: 'api', names, places });
  const node = new X509Certificate(leaf.der);
  const ours = readCertificate(leaf.der) as CertificateFacts;
  const theirs = new PeculiarCertificate(leaf.der);
  expect(node.verify(createPublicKey(authority.issuer.key))).toBe(true);
  expect(await theirs.verify({ publicKey: new PeculiarCertificate(authority.der).publicKey })).toBe(true);
  expect(node.checkIssued(new X509Certificate(authority.der))).toBe(true);
  expect([node.serialNumber, theirs.serialNumber.toUpperCase()]).toEqual([ours.serial, ours.serial]);
  expect(ours).toMatchObject({ names, subject: { commonName: 'api' }, notAfterMs: leaf.notAfterMs });
  expect([theirs.notBefore.getTime(), theirs.notAfter.getTime()]).toEqual([ours.notBeforeMs, ours.notAfterMs]);
  expect(node.subjectAltName).toContain('URI:spiffe://hive.local/service/api');
  expect(ours.issuer.equals(authority.issuer.name)).toBe(true);
});

test('valid from a minute ago, and never longer than the issuer', () => {
  const now = Date.UTC(2049, 11, 1, 0, 0, 0, 500);
  const authority = newAuthority(now, 90_000_000);
  const leaf = authority.leaf({ commonName: 'x', nowMs: now + 1000, lifetimeMs: 365 * 86_400_000 });
  expect(leaf.notBeforeMs).toBe(Math.floor((now + 1000) / 1000) * 1000 - limits.pki.backdateMs);
  expect(leaf.notAfterMs).toBe(authority.issuer.notAfterMs);
  const short = authority.leaf({ commonName: 'x', nowMs: now, lifetimeMs: 1000 });
  expect(short.notAfterMs).toBeLessThan(leaf.notAfterMs);
});

test('serials: 127 bits, positive, never zero, and all that people paste is understood', () => {
  const zeroThenOne = [Buffer.alloc(16), Buffer.alloc(16, 0xff)];
  expect(newSerial(() => zeroThenOne.shift()!).toString('hex')).toBe(`7f${'ff'.repeat(15)}`);
  expect(parseSerial('0x0a:FF')).toBe('0AFF');
  expect(parseSerial('00:00:7f')).toBe('7F');
  expect(parseSerial('')).toBeNull();
  expect(parseSerial('g')).toBeNull();
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 20 }), (bytes) => {
      const text = serialText(bytes);
      expect(parseSerial(text.toLowerCase())).toBe(text);
      expect(serialText(serialBytes(text))).toBe(text);
    }),
  );
});

test('every damaged byte and every cut of a certificate is read or refused, never thrown', () => {
  const { der } = newAuthority().leaf({ commonName: 'api', names });
  for (const bytes of damaged(der)) {
    const facts = readCertificate(bytes);
    if (typeof facts === 'string') expect(facts).toContain('damaged');
  }
});
