import { X509Certificate, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readRevocationList, type ForeignList } from '#actors/vault/pki/read-revocation-list.ts';
import { RevocationList } from '#actors/vault/pki/revocation-list.ts';
import { newSerial, serialText } from '#actors/vault/pki/serial.ts';
import { Workbench, damaged, newAuthority } from './authority.ts';

test('our own list reads back: its serials, its end, and its signer alone', () => {
  const authority = newAuthority();
  const list = new RevocationList(authority.issuer);
  const serials = Array.from({ length: 50 }, () => newSerial(randomBytes));
  for (const serial of serials) list.add(serial, Date.now(), 'keyCompromise');
  const { der, nextUpdateMs } = list.sign(1, Date.now());
  const read = readRevocationList(der) as ForeignList;
  expect(read.serials).toEqual(new Set(serials.map(serialText)));
  expect(read.nextUpdateMs).toBe(Math.floor(nextUpdateMs / 1000) * 1000);
  expect(read.isSignedBy(new X509Certificate(authority.pem))).toBe(true);
  expect(read.isSignedBy(new X509Certificate(newAuthority().pem))).toBe(false);
  expect(
    (readRevocationList(new RevocationList(authority.issuer).sign(2, Date.now()).der) as ForeignList).serials.size,
  ).toBe(0);
});

test.each([
  ['rsa', ['-newkey', 'rsa:2048']],
  ['ec', ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256']],
  ['ed25519', ['-newkey', 'ed25519']],
])('a list that openssl signed with %s', (_kind, key) => {
  using bench = new Workbench();
  bench.write(
    'ca.cnf',
    '[ca]\ndefault_ca = x\n[x]\ndatabase = index.txt\ndefault_md = default\ndefault_crl_days = 1\n',
  );
  bench.write('index.txt', 'R\t351231235959Z\t250101000000Z,keyCompromise\t0A1B\tunknown\t/CN=a\n');
  bench.run('openssl', 'req', '-x509', ...key, '-nodes', '-keyout', 'ca-key.pem', '-out', 'ca.pem', '-subj', '/CN=ca');
  const made = bench.run(
    'openssl',
    'ca',
    '-config',
    'ca.cnf',
    '-cert',
    'ca.pem',
    '-keyfile',
    'ca-key.pem',
    '-gencrl',
    '-out',
    'crl.pem',
  );
  expect(made.ok, made.text).toBe(true);
  bench.run('openssl', 'crl', '-in', 'crl.pem', '-outform', 'DER', '-out', 'crl.der');
  const read = readRevocationList(readFileSync(bench.path('crl.der'))) as ForeignList;
  expect([...read.serials]).toEqual(['0A1B']);
  expect(read.isSignedBy(new X509Certificate(readFileSync(bench.path('ca.pem'))))).toBe(true);
});

test('every damaged byte is refused in a sentence, or no longer signed', () => {
  const authority = newAuthority();
  const list = new RevocationList(authority.issuer);
  list.add(newSerial(randomBytes), Date.now(), 'superseded');
  const { der } = list.sign(1, Date.now());
  const signer = new X509Certificate(authority.pem);
  for (const bytes of damaged(der)) {
    const read = readRevocationList(bytes);
    expect(typeof read === 'string' || !read.isSignedBy(signer)).toBe(true);
  }
});
