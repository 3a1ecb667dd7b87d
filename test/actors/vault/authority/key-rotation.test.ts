/** The authority's certificate and the keys of JWTs are renewed; what was signed before goes on counting. docs/contract/vault-pki.md §4. */
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { NO_NAMES } from '#actors/vault/pki/alt-name.ts';
import { toPem } from '#actors/vault/pki/pem.ts';
import { spkiOf } from '#actors/vault/pki/public-key.ts';
import { Workbench, newKey } from '../pki/authority.ts';
import { newWorld, type World } from '../pki-world.ts';

const { pki } = limits;
const kidOf = (token: string): string => decodeProtectedHeader(token).kid!;
const mint = async (world: World): Promise<string> =>
  (await world.jwts.issue({ subject: 'spiffe://hive.test/a', audience: 'b', lifetimeMs: pki.jwtMsMax, claims: {} }))
    .token;
const kids = async (world: World): Promise<string[]> => (await world.jwts.keySet()).keys.map(({ kid }) => kid);

/** Whether a verifier that has only this key set accepts the token now. */
async function counts(
  world: World,
  token: string,
  keySet: Awaited<ReturnType<World['jwts']['keySet']>>,
): Promise<boolean> {
  const currentDate = new Date(world.clock.now());
  return jwtVerify(token, createLocalJWKSet(keySet), { audience: 'b', currentDate }).then(
    () => true,
    () => false,
  );
}

test('a new key is published before it signs; the old one verifies until its last token has ended, then it is gone', async () => {
  const world = newWorld();
  const first = await mint(world);
  await world.jwtKeys.rotate(false);
  const early = await world.jwts.keySet(); // what a verifier may still have when the new key begins
  expect(early.keys).toHaveLength(2);
  expect(kidOf(await mint(world))).toBe(kidOf(first));
  world.clock.advance(pki.jwtKeyLeadMs);
  const [last, next] = [first, await mint(world)];
  expect(kidOf(next)).not.toBe(kidOf(first));
  for (const token of [last, next]) {
    expect(await counts(world, token, early)).toBe(true);
    expect(await world.jwts.verify(token, 'b')).toMatchObject({ sub: 'spiffe://hive.test/a' });
  }
  await world.jwtKeys.tend();
  expect(await kids(world)).toHaveLength(2);
  world.clock.advance(pki.jwtMsMax + pki.jwtLeewayMs);
  await world.jwtKeys.tend();
  expect(await kids(world)).toEqual([kidOf(next)]);
  expect(await world.jwts.verify(first, 'b')).toBe('unknown_key');
});

test('it happens by itself in time, once for all instances, and each of them knows it before it signs', async () => {
  const world = newWorld();
  const other = newWorld(world);
  const first = kidOf(await mint(other));
  world.clock.advance(pki.jwtKeyMs - 1);
  await world.jwtKeys.tend();
  expect(await kids(world)).toEqual([first]);
  world.clock.advance(1);
  await Promise.all([world.jwtKeys.tend(), other.jwtKeys.tend()]);
  await Promise.all([world.jwtKeys.tend(), other.jwtKeys.tend()]);
  expect(await kids(world)).toHaveLength(2);
  expect(await kids(other)).toEqual(await kids(world));
  world.clock.advance(pki.jwtKeyLeadMs);
  expect(kidOf(await mint(other))).toBe(kidOf(await mint(world)));
});

test('a key that may have leaked is dropped at once, and a token of another instance’s newest key verifies', async () => {
  const world = newWorld();
  const other = newWorld(world);
  const stolen = await mint(world);
  expect(await other.jwts.verify(stolen, 'b')).toMatchObject({ aud: 'b' });
  await world.jwtKeys.rotate(true);
  expect(await world.jwts.verify(stolen, 'b')).toBe('unknown_key');
  expect(await kids(world)).not.toContain(kidOf(stolen));
  other.clock.advance(pki.jwtKeysReadMs);
  expect(await other.jwts.verify(await mint(world), 'b')).toMatchObject({ aud: 'b' });
  expect(await other.jwts.verify(stolen, 'b')).toBe('unknown_key');
});

test('the one key of an older store is taken over, and goes in time', async () => {
  const world = newWorld();
  const old = await mint(world);
  const { keys } = JSON.parse(world.store.rows.get('pki/jwt')!.value.toString()) as { keys: { key: string }[] };
  world.store.rows.set('pki/jwt', { value: Buffer.from(JSON.stringify({ key: keys[0]!.key })), version: 99 });
  const later = newWorld(world);
  expect(await later.jwts.verify(old, 'b')).toMatchObject({ aud: 'b' });
  await later.jwtKeys.tend();
  expect(await kids(later)).toHaveLength(2);
});

test('sealed, no key is had', async () => {
  const world = newWorld();
  await mint(world);
  world.box.sealed = true;
  await expect(mint(world)).rejects.toThrow('sealed');
  await expect(world.jwtKeys.tend()).rejects.toThrow('sealed');
});

/** A leaf of the world's authority, PEM. */
async function leaf(world: World): Promise<string> {
  const order = { subject: { commonName: 'a' }, names: { ...NO_NAMES, dns: ['a.test'] }, isRsa: false, issuedBy: 'x' };
  const spki = spkiOf(newKey().publicKey);
  const record = await world.book.issue({ kind: 'service', ...order, spki, lifetimeMs: pki.serviceMs });
  return toPem('CERTIFICATE', Buffer.from(record!.certificate, 'base64'));
}

test('the authority is renewed at two thirds of its life; leaves and lists of before and after pass openssl with either certificate', async () => {
  const world = newWorld();
  const old = await world.keys.authority();
  const life = old.facts.notAfterMs - old.facts.notBeforeMs;
  world.clock.advance(Math.floor((life * 2) / 3) - 3_600_000);
  await world.keys.tend();
  expect((await world.keys.authority()).facts.serial).toBe(old.facts.serial);
  const before = await leaf(world);
  world.clock.advance(3_600_000);
  const other = newWorld(world);
  await other.keys.authority();
  await Promise.all([world.keys.tend(), other.keys.tend()]);
  await other.keys.tend();
  const renewed = await world.keys.authority();
  expect((await other.keys.authority()).facts.serial).toBe(renewed.facts.serial);
  expect(renewed.facts.serial).not.toBe(old.facts.serial);
  expect(renewed.facts.notAfterMs).toBeGreaterThan(old.facts.notAfterMs);
  expect(renewed.facts.spki.equals(old.facts.spki)).toBe(true);
  using bench = new Workbench();
  bench.write('old.pem', old.pem);
  bench.write('new.pem', renewed.pem);
  bench.write('before.pem', before);
  bench.write('after.pem', await leaf(world));
  bench.write('crl.pem', toPem('X509 CRL', (await world.lists.current()).der));
  const at = String(Math.floor(world.clock.now() / 1000));
  for (const ca of ['old.pem', 'new.pem'])
    for (const one of ['before.pem', 'after.pem']) {
      const files = ['-CAfile', ca, '-CRLfile', 'crl.pem', one];
      expect(bench.run('openssl', 'verify', '-x509_strict', '-crl_check', '-attime', at, ...files).text).toBe(
        `${one}: OK\n`,
      );
    }
});

test('past the old certificate’s end the renewed one stands alone, and what is signed then lives past it', async () => {
  const world = newWorld();
  const old = await world.keys.authority();
  await world.lists.current();
  world.clock.advance(old.facts.notAfterMs - world.clock.now() - 1000);
  await world.keys.tend();
  world.clock.advance(2000);
  using bench = new Workbench();
  bench.write('new.pem', (await world.keys.authority()).pem);
  bench.write('old.pem', old.pem);
  bench.write('leaf.pem', await leaf(world));
  bench.write('crl.pem', toPem('X509 CRL', (await world.lists.current()).der));
  const at = ['-attime', String(Math.floor(world.clock.now() / 1000))];
  const judge = (ca: string) =>
    bench.run(
      'openssl',
      'verify',
      '-x509_strict',
      '-crl_check',
      ...at,
      '-CAfile',
      ca,
      '-CRLfile',
      'crl.pem',
      'leaf.pem',
    );
  expect(judge('new.pem').text).toBe('leaf.pem: OK\n');
  expect(judge('old.pem').text).toContain('expired');
});
