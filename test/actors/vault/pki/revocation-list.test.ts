import './reflect.ts';
import { X509Crl, X509Certificate as PeculiarCertificate } from '@peculiar/x509';
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { toPem } from '#actors/vault/pki/pem.ts';
import { REASONS, RevocationList, type Reason } from '#actors/vault/pki/revocation-list.ts';
import { newSerial, serialText } from '#actors/vault/pki/serial.ts';
import { Workbench, newAuthority } from './authority.ts';

test('openssl and certtool read and verify a list with every reason', () => {
  using bench = new Workbench();
  const authority = newAuthority();
  const list = new RevocationList(authority.issuer);
  const serials = Object.keys(REASONS).map((reason) => {
    const serial = newSerial(randomBytes);
    list.add(serial, Date.now() - 1000, reason as Reason);
    return serialText(serial);
  });
  const { der, nextUpdateMs, thisUpdateMs } = list.sign(42, Date.now());
  expect(nextUpdateMs - thisUpdateMs).toBe(24 * 3_600_000);
  bench.write('ca.pem', authority.pem);
  bench.write('crl.der', der);
  bench.write('crl.pem', toPem('X509 CRL', der));
  const shown = bench.run('openssl', 'crl', '-inform', 'DER', '-in', 'crl.der', '-CAfile', 'ca.pem', '-noout', '-text');
  expect(shown.ok, shown.text).toBe(true);
  expect(shown.text).toContain('verify OK');
  expect(shown.text).toMatch(/X509v3 CRL Number: \n\s+42\n/);
  for (const serial of serials) expect(shown.text).toContain(`Serial Number: ${serial}`);
  for (const reason of [
    'Key Compromise',
    'CA Compromise',
    'Affiliation Changed',
    'Superseded',
    'Cessation Of Operation',
    'Privilege Withdrawn',
    'AA Compromise',
  ])
    expect(shown.text).toContain(reason);
  expect(bench.run('openssl', 'crl', '-in', 'crl.pem', '-noout', '-crlnumber').text).toBe('crlNumber=0x2A\n');
  const gnu = bench.run('certtool', '--crl-info', '--infile', 'crl.pem');
  expect(gnu.ok, gnu.text).toBe(true);
  expect(gnu.text).toContain(`Revoked certificates (${serials.length})`);
  const verdict = bench.run('certtool', '--verify-crl', '--load-ca-certificate', 'ca.pem', '--infile', 'crl.pem');
  expect(verdict.text).toContain('Verified');
});

test('an empty list, too, is signed, and @peculiar/x509 agrees', async () => {
  const authority = newAuthority();
  const crl = new X509Crl(new RevocationList(authority.issuer).sign(1, Date.now()).der);
  expect(crl.entries).toEqual([]);
  expect(await crl.verify({ publicKey: new PeculiarCertificate(authority.der) })).toBe(true);
});

test('openssl refuses what the list names, and only that', () => {
  using bench = new Workbench();
  const authority = newAuthority();
  const [revoked, good] = [authority.leaf({ commonName: 'a' }), authority.leaf({ commonName: 'b' })];
  const list = new RevocationList(authority.issuer);
  list.add(revoked.serial, Date.now(), 'keyCompromise');
  bench.write('ca.pem', authority.pem);
  bench.write('revoked.pem', revoked.pem);
  bench.write('good.pem', good.pem);
  bench.write('crl.pem', toPem('X509 CRL', list.sign(1, Date.now()).der));
  const check = (file: string) =>
    bench.run('openssl', 'verify', '-x509_strict', '-crl_check', '-CAfile', 'ca.pem', '-CRLfile', 'crl.pem', file);
  expect(check('good.pem').ok).toBe(true);
  expect(check('revoked.pem').text).toContain('certificate revoked');
});

test('growing past its first buffer, the list keeps every entry once', async () => {
  const authority = newAuthority();
  const list = new RevocationList(authority.issuer);
  const serials = Array.from({ length: 500 }, () => newSerial(randomBytes));
  for (const serial of serials) list.add(serial, Date.now(), 'superseded');
  const crl = new X509Crl(list.sign(7, Date.now()).der);
  expect(crl.entries.map((entry) => entry.serialNumber.toUpperCase())).toEqual(serials.map(serialText));
});
