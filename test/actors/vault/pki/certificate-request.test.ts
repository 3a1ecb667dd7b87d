import './reflect.ts';
import { Pkcs10CertificateRequestGenerator, SubjectAlternativeNameExtension } from '@peculiar/x509';
import { createPublicKey, webcrypto } from 'node:crypto';
import { CertificationRequest } from 'pkijs';
import { expect, test } from 'vitest';
import { parseCertificateRequest, readCertificateRequest } from '#actors/vault/pki/certificate-request.ts';
import type { CertificateRequest } from '#actors/vault/pki/certificate-request.ts';
import { fromPem } from '#actors/vault/pki/pem.ts';
import { Workbench, damaged } from './authority.ts';

/** A request made by OpenSSL with the given kind of key. */
function byOpenssl(bench: Workbench, keyArgs: readonly string[], more: readonly string[] = []): string {
  const made = bench.run('openssl', 'genpkey', ...keyArgs, '-out', 'key.pem');
  expect(made.ok, made.text).toBe(true);
  const names = ['-addext', 'subjectAltName=DNS:api.example.org,IP:10.0.0.7,IP:2001:db8::1,URI:spiffe://hive/ns/a'];
  const asked = bench.run('openssl', 'req', '-new', '-key', 'key.pem', '-subj', '/O=Skep/CN=api', ...names, ...more);
  expect(asked.ok, asked.text).toBe(true);
  return asked.text.slice(asked.text.indexOf('-----BEGIN'));
}

const P256 = ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256'];

test.each([
  ['P-256', P256, []],
  ['P-384 with SHA-384', ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-384'], ['-sha384']],
  ['RSA 2048', ['-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048'], []],
  ['Ed25519', ['-algorithm', 'ED25519'], []],
])('a request of OpenSSL: %s', (_name, keyArgs, more) => {
  using bench = new Workbench();
  const read = readCertificateRequest(byOpenssl(bench, keyArgs, more)) as CertificateRequest;
  expect(read.subject).toEqual({ organization: 'Skep', organizationalUnit: undefined, commonName: 'api' });
  expect(read.names).toEqual({
    dns: ['api.example.org'],
    ip: ['10.0.0.7', '2001:db8::1'],
    uri: ['spiffe://hive/ns/a'],
  });
  const pub = bench.run('openssl', 'pkey', '-in', 'key.pem', '-pubout').text;
  expect(read.key.equals(createPublicKey(pub))).toBe(true);
});

test.each([
  ['RSA 1024', ['-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:1024'], '2048 to 4096'],
  ['secp256k1', ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:secp256k1'], 'curve'],
])('a key that is not certified: %s', (_name, keyArgs, why) => {
  using bench = new Workbench();
  expect(readCertificateRequest(byOpenssl(bench, keyArgs))).toContain(why);
});

test('SHA-1 is no proof', () => {
  using bench = new Workbench();
  expect(readCertificateRequest(byOpenssl(bench, P256, ['-sha1']))).toBe(
    'the signature was not made with the key in the request',
  );
});

test('a request of @peculiar/x509, and pkijs reads the same key', async () => {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const made = await Pkcs10CertificateRequestGenerator.create({
    name: 'CN=peer',
    keys,
    signingAlgorithm: algorithm,
    extensions: [new SubjectAlternativeNameExtension([{ type: 'dns', value: 'peer.local' }])],
  });
  const der = Buffer.from(made.rawData);
  const read = parseCertificateRequest(der) as CertificateRequest;
  expect(read.names.dns).toEqual(['peer.local']);
  const theirs = CertificationRequest.fromBER(new Uint8Array(der));
  expect(Buffer.from(theirs.subjectPublicKeyInfo.toSchema().toBER()).equals(read.spki)).toBe(true);
  expect(readCertificateRequest(der.toString('base64'))).toMatchObject({ subject: { commonName: 'peer' } });
});

test('every damaged byte and every cut is refused in a sentence', () => {
  using bench = new Workbench();
  const der = fromPem(byOpenssl(bench, P256), ['CERTIFICATE REQUEST'])!;
  for (const bytes of damaged(der)) {
    const answer = parseCertificateRequest(bytes);
    expect(typeof answer, `a request with another byte was taken: ${bytes.toString('hex')}`).toBe('string');
  }
});

test.each([
  ['', 'neither PEM'],
  ['-----BEGIN CERTIFICATE REQUEST-----\n!!!!\n-----END CERTIFICATE REQUEST-----', 'neither PEM'],
  ['AAAA', 'damaged'],
])('no request: %j', (text, why) => {
  expect(readCertificateRequest(text)).toContain(why);
});
