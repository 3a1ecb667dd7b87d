import { X509Certificate, createPublicKey } from 'node:crypto';
import { decodeJwt } from 'jose';
import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import type { CertificateOrder } from '#actors/vault/authority/certificate-book.ts';
import { flawOfClaims } from '#actors/vault/authority/web-tokens.ts';
import { NO_NAMES } from '#actors/vault/pki/alt-name.ts';
import { toPem } from '#actors/vault/pki/pem.ts';
import { Workbench } from '../pki/authority.ts';
import { newRequest, newWorld, type World } from '../pki-world.ts';

const DAY_MS = 86_400_000;

function orderOf(more: Partial<CertificateOrder> = {}): CertificateOrder {
  return {
    kind: 'service',
    subject: { commonName: 'api' },
    names: NO_NAMES,
    spki: newRequest().spki,
    isRsa: false,
    lifetimeMs: limits.pki.serviceMs,
    issuedBy: 'operator',
    ...more,
  };
}

const issued = async (world: World, more: Partial<CertificateOrder> = {}) => (await world.book.issue(orderOf(more)))!;

test('one authority, whichever instance is first: two on one store open the same key', async () => {
  const one = newWorld();
  const other = newWorld(one);
  const [a, b] = await Promise.all([one.keys.authority(), other.keys.authority()]);
  expect(a.der.equals(b.der)).toBe(true);
  expect(new X509Certificate(a.der).verify(createPublicKey(b.issuer.key))).toBe(true);
  const text = [...one.store.rows.values()].map(({ value }) => value.toString('latin1')).join();
  const secret = a.issuer.key.export({ format: 'jwk' }).d!;
  expect(text).not.toContain(secret);
  expect(text).not.toContain(Buffer.from(secret, 'base64url').toString('base64').slice(0, 40));
});

test('sealed, nothing is signed; opened again, the same authority is back', async () => {
  const world = newWorld();
  const before = (await world.keys.authority()).der;
  world.box.sealed = true;
  await expect(world.book.issue(orderOf())).rejects.toThrow('sealed');
  await expect(world.jwts.keySet()).rejects.toThrow('sealed');
  await expect(world.lists.current()).rejects.toThrow('sealed');
  world.box.sealed = false;
  expect((await world.keys.authority()).der.equals(before)).toBe(true);
});

test('a certificate is kept, listed by its end, and found by its serial', async () => {
  const world = newWorld();
  const soon = await issued(world, { lifetimeMs: 5 * DAY_MS });
  const late = await issued(world, { lifetimeMs: 80 * DAY_MS });
  const now = world.clock.now();
  const within = async (days: number) =>
    (await world.book.list(now + days * DAY_MS, null, 10)).records.map((r) => r.serial);
  expect(await within(10)).toEqual([soon.serial]);
  expect(await within(90)).toEqual([soon.serial, late.serial]);
  expect(await within(1)).toEqual([]);
  world.clock.advance(6 * DAY_MS);
  expect(await within(90)).toEqual([late.serial]);
  expect(await world.book.read(soon.serial)).toEqual(soon);
  const first = await world.book.list(Infinity, null, 1);
  expect(first).toMatchObject({ records: [{ serial: late.serial }] });
});

test('pages of a list follow each other', async () => {
  const world = newWorld();
  const all = [];
  for (let i = 0; i < 7; i++) all.push((await issued(world, { lifetimeMs: (i + 1) * DAY_MS })).serial);
  const seen: string[] = [];
  for (let after: string | null = null; ;) {
    const { records, next } = await world.book.list(Infinity, after, 3);
    seen.push(...records.map(({ serial }) => serial));
    if (next === null) break;
    after = next;
  }
  expect(seen).toEqual(all);
});

test('revocation is idempotent: the first date and reason stay, and the list names the serial once', async () => {
  const world = newWorld();
  const { serial } = await issued(world);
  const first = await world.book.revoke(serial, 'keyCompromise');
  world.clock.advance(60_000);
  const again = await world.book.revoke(serial, 'superseded');
  expect(first).toMatchObject({ fresh: true, record: { reason: 'keyCompromise' } });
  expect(again).toEqual({ ...first, fresh: false });
  expect(await world.book.revoke('7F', 'superseded')).toBeNull();
  const { der, number } = await world.lists.current();
  using bench = new Workbench();
  bench.write('ca.pem', (await world.keys.authority()).pem);
  bench.write('crl.pem', toPem('X509 CRL', der));
  const shown = bench.run('openssl', 'crl', '-in', 'crl.pem', '-CAfile', 'ca.pem', '-text', '-noout').text;
  expect(shown).toContain('verify OK');
  expect(shown.split(serial)).toHaveLength(2);
  expect(number).toBeGreaterThan(0);
});

test('the number of the list is stored before it is signed, and never goes back', async () => {
  const world = newWorld();
  const numbers: number[] = [];
  const look = async (from: World) => {
    const { number } = await from.lists.current();
    expect(await from.book.listNumber()).toBe(number);
    numbers.push(number);
  };
  await look(world);
  await look(world); // nothing new: the same list
  await world.book.revoke((await issued(world)).serial, 'superseded');
  await look(world);
  world.clock.advance((limits.pki.crlMs * 2) / 3);
  await look(world);
  await look(newWorld(world)); // after a restart
  expect(numbers).toEqual([1, 1, 2, 3, 4]);
});

test('a list asked for while another is signed has every revocation that was durable before', async () => {
  const world = newWorld();
  const { serial } = await issued(world);
  const early = world.lists.current();
  await world.book.revoke(serial, 'superseded');
  const { der } = await world.lists.current();
  expect(der.toString('hex').toUpperCase()).toContain(serial);
  await early;
});

test('another instance sees a revocation in its list, without a restart', async () => {
  const one = newWorld();
  const other = newWorld(one);
  const { serial } = await issued(one);
  await other.lists.current();
  await one.book.revoke(serial, 'superseded');
  expect((await other.lists.current()).der.toString('hex').toUpperCase()).toContain(serial);
});

test('while the store is away the last list is given as long as it counts', async () => {
  const world = newWorld();
  const { der } = await world.lists.current();
  world.store.get = () => Promise.reject(new Error('away'));
  expect((await world.lists.current()).der.equals(der)).toBe(true);
  world.clock.advance(limits.pki.crlMs);
  await expect(world.lists.current()).rejects.toThrow('away');
});

test('two instances that revoke at once both count', async () => {
  const one = newWorld();
  const other = newWorld(one);
  const serials = await Promise.all(Array.from({ length: 6 }, async () => (await issued(one)).serial));
  await Promise.all(serials.map((serial, i) => (i % 2 === 0 ? one : other).book.revoke(serial, 'superseded')));
  const { der, number } = await one.lists.current();
  for (const serial of serials) expect(der.toString('hex').toUpperCase()).toContain(serial);
  expect(number).toBeGreaterThanOrEqual(6);
});

test('what ended a week ago is forgotten, with everything that stood for it', async () => {
  const world = newWorld();
  const gone = await issued(world, { lifetimeMs: DAY_MS, identity: 'I', kind: 'workload' });
  const stays = await issued(world, { lifetimeMs: 30 * DAY_MS });
  await world.book.revoke(gone.serial, 'superseded');
  world.clock.advance(DAY_MS + limits.pki.keptAfterEndMs);
  expect(await world.book.prune()).toBe(1);
  expect([...world.store.rows.keys()].filter((path) => path.includes(gone.serial))).toEqual([]);
  expect(await world.book.read(stays.serial)).not.toBeNull();
});

test('claims that are ours to set are refused, and long ones', async () => {
  expect(flawOfClaims({ role: 'x' })).toBeNull();
  expect(flawOfClaims({ exp: 1 })).toContain('exp');
  expect(flawOfClaims({ a: 'x'.repeat(limits.pki.claimsBytesMax) })).toContain('at most');
  const world = newWorld();
  const { token } = await world.jwts.issue({ subject: 's', audience: 'a', lifetimeMs: 5000, claims: { role: 'x' } });
  expect(decodeJwt(token)).toMatchObject({ iss: 'spiffe://hive.test', sub: 's', aud: 'a', role: 'x' });
  expect(await world.jwts.verify(token, 'a')).toMatchObject({ role: 'x' });
  expect(await newWorld(world).jwts.verify(token, 'a')).toMatchObject({ role: 'x' });
});
